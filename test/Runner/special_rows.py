#!/usr/bin/env python3
# test/Runner/special_rows.py - SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a .npy of rows that reductions get wrong, for quack-run --verify.

  special_rows.py N f32|bf16 FILE

Rows: one finite value among -inf at each end and every 1000 columns (a thread,
warp or CTA sees only -inf); all -inf between ordinary rows (neighbours must not
notice); a common value of 1e4 ... 3e38 (subtract first, then scale); one NaN at
positions of different lanes, warps and CTAs; one +inf; zeros; arange.
"""
import array
import struct
import sys

INF, NAN = float("inf"), float("nan")


def rows(n):
    def one(value, position, rest=-INF):
        row = [rest] * n
        row[position % n] = value
        return row

    ordinary = [((i * 7919) % 1000) / 250.0 - 2.0 for i in range(n)]
    yield ordinary
    yield one(0.0, 0)
    yield one(0.0, n - 1)
    yield [0.5 if i % 1000 == 0 else -INF for i in range(n)]
    yield [0.0] * n
    yield [-INF] * n
    yield [0.0] * n
    for value in (1e4, 1e8, 1e14, 3e38, -3e38):
        yield [value] * n
    for position in (0, 1, 31, 32, 127, 511, 999, n // 2, n - 1):
        yield one(NAN, position, 1.0)
        yield [1.0] * n
    yield one(INF, n // 3, 1.0)
    yield [1e4 + v for v in ordinary]
    yield [float(i % 256) for i in range(n)]
    yield ordinary


def to_bf16(values):
    """Rounds f32 values to the nearest bf16, ties to even; keeps NaN and inf."""
    out = array.array("H")
    for bits in struct.unpack("<%dI" % len(values), values.tobytes()):
        if bits & 0x7FFFFFFF > 0x7F800000:
            out.append((bits >> 16) | 0x40)
        else:
            out.append((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)
    return out


def main():
    n, dtype, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    data, count = bytearray(), 0
    for row in rows(n):
        values = array.array("f", row)
        data += (to_bf16(values) if dtype == "bf16" else values).tobytes()
        count += 1
    descr = {"bf16": "<u2", "f32": "<f4"}[dtype]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (descr, count, n)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


if __name__ == "__main__":
    main()
