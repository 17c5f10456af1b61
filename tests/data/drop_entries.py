"""Takes the table of entries out of a database, as no server would: `drop_entries.py DATABASE`."""

import sqlite3
import sys

with sqlite3.connect(sys.argv[1], timeout=60) as database:
    database.execute("pragma foreign_keys = off")
    database.execute("drop table entries")
