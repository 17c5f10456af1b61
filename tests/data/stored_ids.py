"""Prints the id of every experience in a database file, one a line.

Usage: stored_ids.py DATABASE
"""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], timeout=60)
for (id,) in connection.execute("select id from experiences"):
    print(id)
