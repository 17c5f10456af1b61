"""Replaces a text in stored records, like those of a server that did not have a rule yet.

Usage: replace_in_records.py DATABASE PLACE TEXT, where TEXT is written as a JSON string.
"""

import json
import sqlite3
import sys

path, place, text = sys.argv[1:]
columns = {
    "experiences": ["title", "problem_description", "root_cause", "solution", "context", "keywords"],
    "entries": ["title", "content", "tags"],
}
changed = 0
with sqlite3.connect(path, timeout=60) as database:
    for table, names in columns.items():
        values = ", ".join(f"{name} = replace({name}, :place, :text)" for name in names)
        found = f"update {table} set {values} where title like '%' || :place || '%'"
        changed += database.execute(found, {"place": place, "text": json.loads(text)}).rowcount
assert changed > 0, f"no record has {place}"
