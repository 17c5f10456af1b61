"""Holds the write lock of a SQLite database until standard input ends.

Usage: lock_database.py PATH
"""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
connection.execute("begin immediate")
print("locked", flush=True)
sys.stdin.read()
connection.execute("rollback")
