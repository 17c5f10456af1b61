"""Generates the records and queries that the pictures of the web pages show.

Usage: demo.py records            writes an export to standard output
       demo.py questions DATABASE inserts the queries of the last weeks into a database
"""

import datetime
import json
import random
import sqlite3
import sys
import uuid

NOW = datetime.datetime.now(datetime.timezone.utc)
DAYS = 30
BUCKETS = 12

# Title, problem, cause, solution, context, keywords, query count, age in days.
EXPERIENCES = [
    (
        "Docker volume is empty after the container was recreated",
        "After `docker compose up --force-recreate` the database starts with an empty data directory.",
        "The service wrote to an **anonymous** volume: each new container gets a new one.",
        "Name the volume, and mount it where the image keeps its data:\n\n"
        "```yaml\nservices:\n  db:\n    image: postgres:17   # keeps its data below /var/lib/postgresql\n"
        "    volumes:\n      - data:/var/lib/postgresql/data\nvolumes:\n  data: {}\n```\n\n"
        "What an old anonymous volume held can still be copied out of it:\n\n"
        "```sh\ndocker volume ls --filter dangling=true\n"
        "docker run --rm -v \"$OLD\":/from -v data:/to alpine cp -a /from/. /to   # copies everything\n```",
        "{\"docker\": \"28.5\", \"compose\": \"2.40\", \"os\": \"Debian 13\", \"rootless\": false}",
        ["docker", "volumes", "compose", "postgres"], 41, 21,
    ),
    (
        "Setting state twice in one handler keeps only the last value",
        "The counter goes up by one although the handler sets it twice.",
        "`count` is what it was when the component was rendered.",
        "Pass a function, which gets the newest value:\n\n"
        "```tsx\nconst [count, setCount] = useState<number>(0);\n\n"
        "function twice() {\n  setCount((before) => before + 1); // not setCount(count + 1)\n"
        "  setCount((before) => before + 1);\n}\n```",
        None, ["react", "useState", "closure"], 36, 18,
    ),
    (
        "error[E0502]: cannot borrow `items` as mutable because it is also borrowed as immutable",
        "Removing from a vector while walking through it does not compile.",
        None,
        "Let the vector do the walking:\n\n"
        "```rust\nlet mut items: Vec<Item> = load()?;\nitems.retain(|item| item.age < 30); // no borrow is left\n```",
        "rustc 1.95, edition 2024", ["rust", "borrow checker", "E0502"], 29, 16,
    ),
    (
        "Docker build cache is never used in CI",
        "Every build of the image installs all dependencies again, although only the source changed.",
        "The whole tree is copied before the dependencies are installed.",
        "Copy what names the dependencies first:\n\n"
        "```dockerfile\nFROM node:24-slim\nWORKDIR /app\nCOPY package.json package-lock.json ./\n"
        "RUN npm ci\nCOPY . .\n```",
        None, ["docker", "cache", "ci"], 23, 12,
    ),
    (
        "asyncio: Task was destroyed but it is pending",
        "A background task disappears now and then, with a warning at the end.",
        "The event loop keeps only weak references to tasks.",
        "Keep them:\n\n```python\ntasks: set[asyncio.Task] = set()\n\ntask = asyncio.create_task(work())\n"
        "tasks.add(task)\ntask.add_done_callback(tasks.discard)\n```",
        None, ["python", "asyncio"], 17, 9,
    ),
    (
        "Docker Desktop: volumes of a bind mount are slow on macOS",
        "Tests that take a minute on Linux take ten on a laptop.",
        "Every access to a file goes through the virtual machine.",
        "Keep `node_modules` and caches in a named volume, and only the sources in the bind mount.",
        None, ["docker", "macos", "volumes"], 12, 6,
    ),
    (
        "git push is refused: protected branch hook declined",
        "A push to `main` fails since yesterday.",
        None,
        "Push a branch and open a pull request:\n\n```sh\ngit switch -c fix/login && git push -u origin HEAD\n```",
        None, ["git", "github"], 8, 4,
    ),
    (
        "PostgreSQL 语句在大表上不使用索引",
        "`where lower(email) = $1` 做全表扫描。",
        "索引建在 `email` 上，而不是表达式上。",
        "为表达式建立索引：\n\n```sql\ncreate index concurrently users_email_lower on users (lower(email));\n```",
        None, ["postgres", "索引"], 6, 2,
    ),
]

# Type, title, content, tags, project, access count, age in days.
ENTRIES = [
    ("decision", "Deployments go through the pipeline, never by hand", "The pipeline signs what it ships.", ["deploy", "ci"], "shop", 31, 28),
    ("pattern", "Retry with jitter, and only what may be repeated", "```python\ndelay = min(cap, base * 2 ** attempt) * random()\n```", ["http", "retry"], "shop", 27, 26),
    ("bug", "Carts are lost when the session moves to another node", "Sessions were kept in memory.", ["session", "redis"], "shop", 22, 25),
    ("decision", "Sessions live in Redis, for a day", "Follows from the lost carts.", ["session", "redis"], "shop", 20, 24),
    ("pitfall", "Prices are integers of the smallest unit", "Floating point loses cents.", ["money"], "shop", 19, 22),
    ("config", "Timeouts: 2 s to connect, 10 s to answer", "```toml\nconnect_ms = 2000\nanswer_ms = 10000\n```", ["http"], "shop", 15, 20),
    ("reference", "结算接口的错误代码", "见内部手册第四章。", ["结算"], "shop", 14, 15),
    ("bug", "并发下单导致库存为负数", "更新语句没有检查库存。", ["库存", "postgres"], "shop", 12, 14),
    ("pattern", "用条件更新代替先读后写", "```sql\nupdate stock set left = left - 1 where id = $1 and left > 0;\n```", ["库存", "postgres"], "shop", 11, 13),
    ("decision", "图片由对象存储直接提供", "应用服务器不再转发图片。", ["存储", "cdn"], "shop", 9, 11),
    ("pitfall", "Le courriel de confirmation part deux fois", "La file livre au moins une fois.", ["courriel", "file"], "factures", 8, 9),
    ("pattern", "Rendre les traitements idempotents par une clé", "La clé est celle du message.", ["file", "idempotence"], "factures", 7, 8),
    ("config", "TVA : les taux viennent de la base, jamais du code", "Ils changent au premier janvier.", ["tva"], "factures", 5, 6),
    ("reference", "Where the dashboards are", "One for each service, named like it.", ["metrics"], "shop", 4, 4),
    ("bug", "Search finds nothing for words with an accent", "The index was built without folding.", ["search"], "shop", 3, 2),
]
# Source and target (indexes of entries), relation.
LINKS = [
    (3, 2, "derived_from"), (1, 5, "related"), (8, 7, "derived_from"), (11, 10, "derived_from"),
    (0, 13, "related"), (3, 0, "related"), (4, 12, "related"), (9, 0, "related"), (7, 4, "related"),
    (14, 7, "related"), (1, 11, "related"), (6, 4, "related"), (5, 13, "related"), (2, 5, "related"),
]

# Family, text, average count per day, whether nothing was found.
QUESTIONS = [
    ("experiences", "docker volume empty after restart", 4, False),
    ("experiences", "cannot borrow as mutable because it is also borrowed as immutable", 3, False),
    ("knowledge", "how are sessions stored", 2, False),
    ("libraries", "axum", 3, False),
    ("experiences", "react state not updated after setState", 2, False),
    ("knowledge", "which timeouts do we use", 1, False),
    ("experiences", "kubernetes pod stuck in terminating", 2, True),
    ("experiences", "terraform state lock cannot be released", 1, True),
    ("knowledge", "how do we rotate the signing key", 1, True),
    ("libraries", "opentelemetry collector", 1, True),
    ("experiences", "électron : fenêtre blanche après la mise à jour", 1, True),
    ("knowledge", "优惠券叠加规则", 1, True),
]


def moment(days, hour=9):
    at = (NOW - datetime.timedelta(days=days)).replace(hour=hour, minute=40, second=0, microsecond=0)
    return min(at, NOW).isoformat().replace("+00:00", "Z")


def ulid(number):
    digits, text = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", ""
    for _ in range(10):
        text, number = digits[number % 32] + text, number // 32
    return "01M83CXKZXEHF4DW" + text


def records():
    print(json.dumps({"format": "recall-kit-export", "version": 1, "embedding_model": None}))
    for title, problem, cause, solution, context, keywords, count, days in EXPERIENCES:
        print(json.dumps({
            "type": "experience", "id": str(uuid.uuid5(uuid.NAMESPACE_URL, title)), "title": title,
            "problem_description": problem, "root_cause": cause, "solution": solution,
            "context": context, "keywords": keywords, "query_count": count, "created_at": moment(days),
        }))
    for number, (kind, title, content, tags, project, count, days) in enumerate(ENTRIES):
        print(json.dumps({
            "type": "entry", "id": ulid(number), "entry_type": kind, "title": title, "content": content,
            "tags": tags, "project": project, "context": None, "confidence": 4,
            "memory_type": "episodic", "status": "active", "access_count": count,
            "last_accessed": moment(1), "created_at": moment(days), "updated_at": moment(days),
        }))
    for number, (source, target, relation) in enumerate(LINKS):
        print(json.dumps({
            "type": "link", "id": ulid(1000 + number), "source_id": ulid(source),
            "target_id": ulid(target), "relation_type": relation, "created_at": moment(1),
        }))


def questions(path):
    dice = random.Random(7)
    connection = sqlite3.connect(path, timeout=60)
    today = int(NOW.timestamp()) // 86_400
    with connection:
        for day in range(today - DAYS + 1, today + 1):
            counts = {}
            for family, text, often, in_vain in QUESTIONS:
                asked = dice.randint(0, 2 * often)
                if not asked:
                    continue
                at = min(day * 86_400 + dice.randrange(86_400), int(NOW.timestamp())) * 1_000_000
                row = (day, family, text, asked, asked * in_vain, asked * (not in_vain), None, at)
                connection.execute("insert into questions values (?, ?, ?, ?, ?, ?, ?, ?)", row)
                before = counts.get(family, (0, 0))
                counts[family] = (before[0] + asked, before[1] + asked * in_vain)
            for family, (asked, unanswered) in counts.items():
                row = (day, family, asked, unanswered)
                connection.execute("insert into question_days values (?, ?, ?, ?, 0)", row)
                buckets = [0] * BUCKETS
                for _ in range(asked):
                    buckets[min(BUCKETS - 1, int(dice.gammavariate(5, 0.55)))] += 1
                for bucket, count in enumerate(buckets):
                    if count:
                        row = (day, family, bucket, count)
                        connection.execute("insert into question_latencies values (?, ?, ?, ?)", row)


match sys.argv[1:]:
    case ["records"]:
        records()
    case ["questions", path]:
        questions(path)
    case _:
        sys.exit(__doc__)
