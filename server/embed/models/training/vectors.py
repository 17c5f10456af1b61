"""Embeds texts with the server's own encoder, and caches their vectors."""

import hashlib
import json
import subprocess
import sys

import numpy

DIMENSIONS = 384
# The number of texts that are embedded between two writes to the cache.
CHUNK = 2000
# The files that the vectors depend on.
MODEL_FILES = ("multilingual-e5-small-q4.bin", "multilingual-e5-small-centres.bin")


class Vectors:
    """The vectors of texts, from the cache or from the embedder."""

    def __init__(self, cache, embedder, models):
        digest = hashlib.sha256(b"".join((models / name).read_bytes() for name in MODEL_FILES)).hexdigest()
        folder = cache / "vectors" / digest[:16]
        folder.mkdir(parents=True, exist_ok=True)
        self.embedder = embedder
        self.keys_file = folder / "keys"
        self.values_file = folder / "vectors.f32"
        self.load()

    def load(self):
        """Reads the cache, and removes an incomplete entry that an interrupted write left at its end."""
        for file in (self.keys_file, self.values_file):
            file.touch()
        keys = self.keys_file.read_bytes()
        values = numpy.fromfile(self.values_file, "<f4")
        count = min(len(keys) // 32, len(values) // DIMENSIONS)
        with open(self.keys_file, "r+b") as file:
            file.truncate(32 * count)
        with open(self.values_file, "r+b") as file:
            file.truncate(4 * DIMENSIONS * count)
        self.rows = {keys[32 * i:32 * i + 32]: i for i in range(count)}
        self.values = values[:count * DIMENSIONS].reshape(count, DIMENSIONS)

    def of(self, kind, texts):
        """Returns the vectors of questions ("query") or records ("record"), one in a row."""
        keys = [hashlib.sha256(f"{kind}\0{text}".encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.rows}
        if missing:
            self.embed(kind, list(missing.items()))
            self.load()
        return self.values[[self.rows[key] for key in keys]]

    def embed(self, kind, missing):
        """Computes vectors with the embedder, and adds them to the cache."""
        if not self.embedder.exists():
            sys.exit(f"{self.embedder} is missing; build it: cargo build --release --locked --workspace --examples")
        for start in range(0, len(missing), CHUNK):
            print(f"embedding: {start} of {len(missing)} ({kind})", file=sys.stderr, flush=True)
            chunk = missing[start:start + CHUNK]
            lines = "".join(json.dumps({"kind": kind, "text": text}) + "\n" for _, text in chunk)
            done = subprocess.run([self.embedder], input=lines.encode(), stdout=subprocess.PIPE, check=True)
            if len(done.stdout) != 4 * DIMENSIONS * len(chunk):
                sys.exit(f"{self.embedder} wrote {len(done.stdout)} bytes for {len(chunk)} texts")
            with open(self.values_file, "ab") as file:
                file.write(done.stdout)
            with open(self.keys_file, "ab") as file:
                file.write(b"".join(key for key, _ in chunk))
