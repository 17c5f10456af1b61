"""Writes the stores that the tests of `import-from` read, by running each program at its pinned version.

    python make.py DIR PROGRAM

PROGRAM is one of server-memory, basic-memory, mcp-memory-service, mem0, claude-mem, cq. Each needs its own
environment, outside this tree:

    npm install @modelcontextprotocol/server-memory@2026.8.31      (server-memory: NODE_MODULES)
    pip install basic-memory==0.24.1                               (Python 3.12)
    pip install mcp-memory-service==12.4.0
    pip install mem0ai==2.2.1
    npm install claude-mem@13.25.3 bun                             (claude-mem: NODE_MODULES)
    pip install cq-sdk==0.20.2

NODE_MODULES is the environment variable with the path of that folder. Engram is a Go program that is not on
a registry of packages; its store is made from its schema by `engram`, without running it.

Each store has a hundred records. Databases are written as SQL text (`*.sql`), without the tables of search
indexes, because those need extensions; the tests build the database from it. Every seventh record contains
CANARY, which the tests replace by a secret.
"""

import asyncio
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

COUNT = 100
TOPICS = ["cache", "queue", "login", "build", "deploy", "parser", "index", "upload", "timer", "socket"]


def canary(number):
    return " The token is CANARY." if number % 7 == 0 else ""


def title(number):
    return f"{TOPICS[number % 10].capitalize()} note {number}"


def text(number):
    topic = TOPICS[number % 10]
    return f"The {topic} of part {number} keeps its state in a table of its own.{canary(number)}"


def dump(database, target, tables):
    """Writes the schema and the rows of some tables as SQL."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    lines = []
    for table in tables:
        (schema,) = connection.execute(
            "select sql from sqlite_master where type = 'table' and name = ?", (table,)
        ).fetchone()
        lines.append(" ".join(schema.split()) + ";")
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        quoted = ", ".join(f"quote({column})" for column in columns)
        for row in connection.execute(f"select {quoted} from {table} order by rowid"):
            lines.append(f"insert into {table} values ({', '.join(row)});")
    target.write_text("\n".join(lines) + "\n")


class Server:
    """An MCP server on standard input and output."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment}, text=True
        )
        self.number = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "make", "version": "1"}}
        self.request("initialize", client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            pass
        assert "error" not in answer and not answer["result"].get("isError"), answer

    def call(self, tool, **arguments):
        self.request("tools/call", {"name": tool, "arguments": arguments})

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def server_memory(folder):
    """Calls the server's tools."""
    target = folder / "server-memory.jsonl"
    target.unlink(missing_ok=True)
    program = f"{os.environ['NODE_MODULES']}/@modelcontextprotocol/server-memory/dist/index.js"
    server = Server(["node", program], {"MEMORY_FILE_PATH": str(target)})
    entities = [
        {"name": title(n), "entityType": "service", "observations": [text(n), f"It belongs to team {n % 5}"]}
        for n in range(COUNT)
    ]
    server.call("create_entities", entities=entities)
    relations = [
        {"from": title(n), "to": title(n + 1), "relationType": "depends on"} for n in range(0, COUNT - 1, 10)
    ]
    server.call("create_relations", relations=relations)
    server.close()


def basic_memory(folder):
    """Calls the program's tools, and keeps the notes in one file: the name and the text of each."""
    home = folder / "home"
    notes = home / "basic-memory"
    notes.mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(sys.executable).parent / "basic-memory"
    server = Server([program, "mcp"], {"HOME": str(home), "BASIC_MEMORY_HOME": str(notes)})
    for n in range(COUNT):
        body = f"# {title(n)}\n\n## Observations\n- [decision] {text(n)} #{TOPICS[n % 10]} (agreed)\n"
        body += f"\n## Relations\n- relates_to [[{title((n + 1) % COUNT)}]]\n"
        server.call("write_note", title=title(n), directory="specs", content=body, tags=["imported"])
    server.close()
    kept = {str(note.relative_to(notes)): note.read_text() for note in sorted(notes.rglob("*.md"))}
    (folder / "basic-memory.json").write_text(json.dumps(kept, indent=0) + "\n")


def mcp_memory_service(folder):
    """Stores with the service's own storage; without a model it computes vectors from hashes."""
    os.environ["MCP_MEMORY_ALLOW_HASH_EMBEDDINGS"] = "1"
    os.environ["MCP_MEMORY_BASE_DIR"] = str(folder / "service")
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
    from mcp_memory_service.sync.exporter import MemoryExporter
    from mcp_memory_service.utils.hashing import generate_content_hash

    async def store():
        storage = SqliteVecMemoryStorage(str(folder / "service.db"))
        await storage.initialize()
        for n in range(COUNT):
            content = f"{title(n)}: {text(n)}"
            kind = ["decision", "pattern", "error", "observation"][n % 4]
            memory = Memory(
                content=content, content_hash=generate_content_hash(content), tags=["imported", TOPICS[n % 10]],
                memory_type=kind, created_at=1_760_000_000.0 + n,
            )
            stored, message = await storage.store(memory, skip_semantic_dedup=True)
            assert stored, message
        await MemoryExporter(storage).export_to_json(folder / "mcp-memory-service.json")
        await storage.close()

    asyncio.run(store())
    export = json.loads((folder / "mcp-memory-service.json").read_text())
    export["export_metadata"].update(source_machine="machine", database_path="service.db")
    for memory in export["memories"]:
        memory["export_source"] = "machine"
    (folder / "mcp-memory-service.json").write_text(json.dumps(export, indent=0) + "\n")
    dump(folder / "service.db", folder / "mcp-memory-service.sql", ["memories"])


def mem0(folder):
    """Writes the history with mem0's own store; adding through `Memory` would need a model."""
    from mem0.memory.storage import SQLiteManager

    database = folder / "history.db"
    database.unlink(missing_ok=True)
    history = SQLiteManager(str(database))
    for n in range(COUNT):
        name = f"00000000-0000-4000-8000-{n:012d}"
        time = f"2026-05-01T10:{n % 60:02d}:00+00:00"
        first = text(n) if n % 5 else "A first version."
        history.add_history(name, None, first, "ADD", created_at=time)
        if n % 5 == 0:
            history.add_history(name, first, text(n), "UPDATE", created_at=time, updated_at=time)
    for n in range(COUNT, COUNT + 3):
        history.add_history(f"gone-{n}", None, text(n), "ADD", created_at="2026-05-01T10:00:00+00:00")
        history.add_history(f"gone-{n}", text(n), None, "DELETE", is_deleted=1)
    dump(database, folder / "mem0.sql", ["history"])


def claude_mem(folder):
    """Stores with the program's own SessionStore, which runs in bun."""
    modules = os.environ["NODE_MODULES"]
    database = folder / "claude-mem.db"
    database.unlink(missing_ok=True)
    records = [
        {
            "type": ["bugfix", "decision", "feature", "discovery"][n % 4], "title": title(n),
            "subtitle": f"What happened in part {n}", "facts": [f"Part {n} was measured"], "narrative": text(n),
            "concepts": ["how-it-works", TOPICS[n % 10]], "files_read": [], "files_modified": [],
        }
        for n in range(COUNT - 10)
    ]
    summaries = [
        {
            "request": f"Change part {n}", "investigated": "The table", "learned": text(n),
            "completed": f"Part {n}", "next_steps": "", "notes": None,
        }
        for n in range(10)
    ]
    script = f"""
        const {{ SessionStore }} = require("{modules}/claude-mem/plugin/sqlite/SessionStore.js");
        const store = new SessionStore("{database}");
        const session = store.createSDKSession("content-1", "shop", "a request");
        store.ensureMemorySessionIdRegistered(session, "memory-1");
        let time = 1760000000000;
        for (const record of {json.dumps(records)})
            store.storeObservation("memory-1", "shop", record, 1, 0, time += 1000);
        for (const summary of {json.dumps(summaries)})
            store.storeSummary("memory-1", "shop", summary, 1, 0, time += 1000);
        store.db.run("pragma wal_checkpoint(truncate)");
    """
    (folder / "store.js").write_text(script)
    environment = {**os.environ, "HOME": str(folder), "CLAUDE_MEM_DATA_DIR": str(folder / "data")}
    subprocess.run([f"{modules}/.bin/bun", folder / "store.js"], check=True, env=environment)
    dump(database, folder / "claude-mem.sql", ["observations", "session_summaries"])


def cq(folder):
    """Stores with cq's own SDK."""
    from cq.models import Context, Insight, KnowledgeUnit
    from cq.store import SqliteStore

    database = folder / "cq.db"
    database.unlink(missing_ok=True)
    with SqliteStore(database) as store:
        for n in range(COUNT):
            insight = Insight(summary=title(n), detail=f"Part {n} stops after an hour.", action=text(n))
            store.insert(
                KnowledgeUnit(
                    id=f"ku_{n:032x}", domains=["imported", TOPICS[n % 10]], insight=insight,
                    context=Context(languages=["go"], pattern="worker"),
                    evidence={"first_observed": "2026-05-01T10:00:00Z", "last_confirmed": "2026-05-01T10:00:00Z"},
                )
            )
    dump(database, folder / "cq.sql", ["knowledge_units"])


def engram(folder):
    """From the schema in `internal/store/store.go` at commit 0017445b; the program is not run."""
    schema = (
        "CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL, "
        "type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tool_name TEXT, project TEXT, "
        "scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, normalized_hash TEXT, "
        "revision_count INTEGER NOT NULL DEFAULT 1, duplicate_count INTEGER NOT NULL DEFAULT 1, last_seen_at TEXT, "
        "created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT);"
    )
    lines = [schema]
    for n in range(COUNT):
        kind = ["bugfix", "decision", "config", "manual"][n % 4]
        content = f"**What**: {text(n)} **Why**: Part {n} was slow. **Where**: part.go" if n % 4 == 0 else text(n)
        values = [str(n + 1), f"'obs-{n:08x}'", "'s1'", f"'{kind}'", f"'{title(n)}'", f"'{content}'", "NULL"]
        values += ["'shop'", "'project'", "NULL", "NULL", "1", "1", "NULL"]
        values += ["'2026-05-01 10:00:00'"] * 2 + ["NULL"]
        lines.append(f"insert into observations values ({', '.join(values)});")
    (folder / "engram.sql").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    target, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    target.mkdir(parents=True, exist_ok=True)
    globals()[program.replace("-", "_")](target.resolve())
