"""Makes an API key expire, without waiting for the clock.

Usage: expire_key.py DATABASE NAME
"""

import sqlite3
import sys

path, name = sys.argv[1:]
connection = sqlite3.connect(path, timeout=60)
with connection:
    expired = connection.execute(
        "update api_keys set expires_at = created_at - 1 where name = ? and revoked_at is null",
        (name,),
    )
assert expired.rowcount == 1, f"no key is called {name}"
