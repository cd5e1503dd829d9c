"""Compares what jsonmsgpack encode wrote with the JSON it was made of, by
Python's msgpack and json: pyread.py JSONLINES MSGPACK DECODED, where DECODED is
what jsonmsgpack decode made of MSGPACK."""

import json
import sys

import msgpack


def same(a, b):
    """Equal by value, and a float is no integer, but for integers that no
    MessagePack integer holds: these are floats."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, int) and not isinstance(a, bool) and not -2**63 <= a < 2**64:
        a = float(a)
    return type(a) is type(b) and a == b


def lines(name):
    with open(name, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


want = lines(sys.argv[1])
with open(sys.argv[2], "rb") as f:
    packed = list(msgpack.Unpacker(f, strict_map_key=False))
decoded = lines(sys.argv[3])
for name, got in ("msgpack", packed), ("decode", decoded):
    if len(got) != len(want):
        sys.exit(f"{name}: {len(got)} documents, want {len(want)}")
    for i, (a, b) in enumerate(zip(want, got)):
        if not same(a, b):
            sys.exit(f"{name}: document {i + 1}: {b!r}, want {a!r}")
print(f"{len(want)} documents, the same by Python's json, msgpack and after decode")
