#!/bin/sh
# Makes python.hex and nlohmann.hex: the MessagePack of each line of
# inputs.jsonl by two encoders that have nothing to do with this package. Run
# it in this directory; it needs Debian's python3-msgpack, nlohmann-json3-dev
# and g++. The outputs are committed, so that the tests need none of them.
set -eu
python3 make.py < inputs.jsonl > python.hex
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
g++ -O1 -o "$tmp/make" make.cc
"$tmp/make" < inputs.jsonl > nlohmann.hex
