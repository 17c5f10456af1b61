"""Drops the table of entries of a database, which no server does: `drop_entries.py DATABASE`."""

import sqlite3
import sys

with sqlite3.connect(sys.argv[1], timeout=60) as database:
    database.execute("pragma foreign_keys = off")
    database.execute("drop table entries")
