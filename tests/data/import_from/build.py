"""Builds the database of another program from its SQL, with a secret in the place of CANARY.

Usage: build.py SQL DATABASE SECRET [MORE_SQL]...
"""

import pathlib
import sqlite3
import sys

sql, database, secret, *more = sys.argv[1:]
connection = sqlite3.connect(database)
# Most of these programs keep a write-ahead log.
connection.execute("pragma journal_mode = wal")
connection.executescript(pathlib.Path(sql).read_text().replace("CANARY", secret))
for statement in more:
    connection.execute(statement)
connection.commit()
connection.close()
