#!/usr/bin/env python3
# tools/dev/demo-data.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Input and an independent check for tools/demo.sh, in plain Python.

    demo-data.py make ROWS COLUMNS X.npy        writes logits, normal with sigma 3
    demo-data.py check-softmax X.npy Y.npy      compares some rows with a softmax
                                                computed here, in float64

Files hold bf16 as quack-run reads and writes it: dtype uint16, each element the
upper half of the float32 pattern.
"""

import array
import ast
import math
import random
import struct
import sys

POOL = 1 << 20  # distinct values; each row is a window of them


def to_bf16(value):
    """Rounds to the nearest bf16, ties to even, and returns its pattern."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def from_bf16(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern << 16))[0]


def write_header(file, rows, columns):
    text = "{'descr': '<u2', 'fortran_order': False, 'shape': (%d, %d), }" % (
        rows, columns)
    text = text.ljust(128 - 10 - 1) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
    file.write(text.encode("ascii"))


def read_header(file):
    """Returns (rows, columns) and leaves the file at the first element."""
    magic = file.read(8)
    if magic[:7] != b"\x93NUMPY\x01":
        sys.exit(f"{file.name}: not a .npy file of version 1")
    length = struct.unpack("<H", file.read(2))[0]
    header = ast.literal_eval(file.read(length).decode("ascii"))
    if header["descr"] != "<u2" or header["fortran_order"]:
        sys.exit(f"{file.name}: expected C-ordered '<u2' (bf16), got {header}")
    return header["shape"]


def make(rows, columns, path):
    rng = random.Random(columns)
    pool = array.array(
        "H", (to_bf16(rng.gauss(0.0, 3.0)) for _ in range(POOL)))
    while len(pool) < 2 * columns:
        pool += pool
    if sys.byteorder == "big":
        pool.byteswap()
    windows = memoryview(pool).cast("B")
    with open(path, "wb") as file:
        write_header(file, rows, columns)
        for _ in range(rows):
            start = rng.randrange(len(pool) - columns + 1)
            file.write(windows[2 * start:2 * (start + columns)])


def read_row(file, start, columns, row):
    file.seek(start + 2 * columns * row)
    values = array.array("H")
    values.fromfile(file, columns)
    if sys.byteorder == "big":
        values.byteswap()
    return [from_bf16(value) for value in values]


def check_softmax(x_path, y_path):
    with open(x_path, "rb") as x_file, open(y_path, "rb") as y_file:
        shape = read_header(x_file)
        if read_header(y_file) != shape:
            sys.exit(f"{y_path}: its shape is not that of {x_path}")
        x_start, y_start = x_file.tell(), y_file.tell()
        rows, columns = shape
        checked = sorted({0, rows // 2, rows - 1})
        for row in checked:
            x = read_row(x_file, x_start, columns, row)
            y = read_row(y_file, y_start, columns, row)
            top = max(x)
            exps = [math.exp(value - top) for value in x]
            total = math.fsum(exps)
            for column, (e, got) in enumerate(zip(exps, y)):
                expected = e / total
                # Half a bf16 step from the final rounding, and as much again
                # as slack for the f32 sum and exponential before it.
                if not abs(got - expected) <= expected / 128 + 1e-38:
                    sys.exit(f"{y_path}: row {row} column {column}: "
                             f"expected {expected:.6g}, got {got:.6g}")
    print(f"rows {', '.join(map(str, checked))} agree with a float64 softmax")


def main():
    args = sys.argv[1:]
    if len(args) == 4 and args[0] == "make":
        make(int(args[1]), int(args[2]), args[3])
    elif len(args) == 3 and args[0] == "check-softmax":
        check_softmax(args[1], args[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
