"""Deletes an entry from a database, which no tool can do: `delete_entry.py DATABASE ID`."""

import sqlite3
import sys

with sqlite3.connect(sys.argv[1], timeout=60) as database:
    database.execute("pragma foreign_keys = on")
    database.execute("delete from entries where id = ?", [sys.argv[2]])
