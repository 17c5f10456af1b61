"""Holds a lock of a SQLite database until standard input ends: the write lock, or an exclusive one.

Usage: lock_database.py PATH [immediate|exclusive]
"""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
connection.execute(f"begin {sys.argv[2] if len(sys.argv) > 2 else 'immediate'}")
print("locked", flush=True)
sys.stdin.read()
connection.execute("rollback")
