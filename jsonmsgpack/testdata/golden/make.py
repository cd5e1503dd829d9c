import json
import sys

import msgpack

LIMIT = 1 << 64


def number(text):
    """An integer that MessagePack does not have is a float by default."""
    n = int(text)
    return n if -(LIMIT >> 1) <= n < LIMIT else float(n)


for line in sys.stdin:
    value = json.loads(line, parse_int=number)
    print(msgpack.packb(value, use_bin_type=True).hex())
