"""Counts the tokens of a text file.

Usage: count_tokens.py FILE [VOCABULARY]

VOCABULARY is `cl100k_base` (the default) or `o200k_base`. Both come with packages: nothing is
downloaded.
"""

import sys

import bpe_openai

path, *vocabulary = sys.argv[1:]
encoding = bpe_openai.get_encoding(vocabulary[0] if vocabulary else "cl100k_base")
with open(path, encoding="utf-8") as file:
    print(len(encoding.encode(file.read())))
