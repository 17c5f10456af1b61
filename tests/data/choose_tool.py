"""Says which tool the built-in model puts first for everyday tasks.

Usage: choose_tool.py EMBED_TEXTS TOOLS TASKS

EMBED_TEXTS is the built example of `tests/tools/examples/embed_texts.rs`. TOOLS is an answer of `tools/list`, or the
snapshot of one in `tests/it/project/snapshots`. Each line of TASKS is `{"from", "task", "right": [NAME, ...]}`, as in
`tool_choice.jsonl`; the tasks `from` "second hand" were written without the descriptions. Each task is embedded as a
query and each tool's description as a passage. This says whether the descriptions tell the tools apart, not what an
agent does.
"""

import json
import struct
import subprocess
import sys

DIMENSIONS = 384

program, tools_file, tasks_file = sys.argv[1:]
with open(tools_file, encoding="utf-8") as file:
    text = file.read()
if text.startswith("---\n"):
    text = text.split("---\n", 2)[2]
tools = json.loads(text)
if isinstance(tools, dict):
    tools = tools.get("result", tools)["tools"]
with open(tasks_file, encoding="utf-8") as file:
    tasks = [json.loads(line) for line in file]

lines = [{"kind": "record", "text": tool["description"]} for tool in tools]
lines += [{"kind": "query", "text": task["task"]} for task in tasks]
written = "\n".join(map(json.dumps, lines)).encode()
vectors = subprocess.run([program], input=written, capture_output=True, check=True).stdout
vectors = list(struct.iter_unpack(f"<{DIMENSIONS}f", vectors))
passages, queries = vectors[:len(tools)], vectors[len(tools):]

right = 0
for task, query in zip(tasks, queries):
    cosines = [sum(a * b for a, b in zip(query, passage)) for passage in passages]
    ranked = sorted(zip(cosines, (tool["name"] for tool in tools)), reverse=True)
    is_right = ranked[0][1] in task["right"]
    right += is_right
    print("ok  " if is_right else "MISS", f"{ranked[0][1]:26}", task["task"])
    if not is_right:
        for cosine, name in ranked[:4]:
            print(f"       {name:26} {cosine:.3f}")
print(right, "of", len(tasks), "right")
