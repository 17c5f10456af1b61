"""Checks a wheel against its own list of files.

Usage: check_wheel.py WHEEL

Prints one JSON object: the tags, the scripts, and how many files have the checksum that the list names.
"""

import base64
import csv
import hashlib
import io
import json
import sys
import zipfile

wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
info = next(name.split("/")[0] for name in names if name.endswith(".dist-info/RECORD"))
record = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
assert sorted(name for name, _, _ in record) == sorted(names), "the list names every file once"
checked = 0
for name, checksum, size in record:
    if name == f"{info}/RECORD":
        assert (checksum, size) == ("", "")
        continue
    content = wheel.read(name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert checksum == f"sha256={digest}" and int(size) == len(content), name
    checked += 1
text = wheel.read(f"{info}/WHEEL").decode()
print(json.dumps({
    "tags": [line.split(": ")[1] for line in text.splitlines() if line.startswith("Tag: ")],
    "scripts": [name.split("/")[-1] for name in names if ".data/scripts/" in name],
    "checked": checked,
}))
