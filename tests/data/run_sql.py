"""Runs SQL on a database file that no server has open, and prints the rows of the last statement.

Usage: run_sql.py DATABASE SQL...
"""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], timeout=60)
rows = []
for statement in sys.argv[2:]:
    rows = connection.execute(statement).fetchall()
connection.commit()
for row in rows:
    print(*row)
