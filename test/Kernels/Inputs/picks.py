# test/Kernels/Inputs/picks.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""topk and its gradient against a sort, on rows that are hard to pick from: equal elements,
NaN, zeros of both signs, most of the greatest in one thread. Bits of values are compared."""

import itertools
import os
import random
import struct
import sys
import tempfile

from regression import *

KERNEL = """
quack.kernel @topk(%%x: memref<?x%(n)dx%(type)s> in row, %%values: memref<?x%(k)dx%(type)s> out picks,
                   %%columns: memref<?x%(k)dx%(index)s> out picks) {
  %%v = quack.load %%x : memref<?x%(n)dx%(type)s> -> tensor<%(n)dxf32>
  quack.topk %%v to %%values, %%columns %(softmax)s : tensor<%(n)dxf32>, memref<?x%(k)dx%(type)s>, memref<?x%(k)dx%(index)s>
}
"""


def bits(number):
    return struct.pack("<f", number)


def expected(row, k):
    def order(column):
        value = row[column]
        return (not math.isnan(value), 0 if math.isnan(value) else -value, column)
    columns = sorted(range(len(row)), key=order)[:k]
    return [row[c] for c in columns], columns


def rows_of(n, k, seed, borders=()):
    """Rows by name; slices end at `borders`."""
    generator = random.Random(seed)
    normal = [round(generator.gauss(0, 1) * 16) / 16 for _ in range(n)]
    rows = {
        "normal": normal,
        "equal": [1.5] * n,
        "rectified": [max(0.0, v - 1) for v in normal],
        "ascending": [float(c % 256) for c in range(n)],
        "descending": [-float(c % 256) for c in range(n)],
        "zeros": [-0.0 if c % 3 else 0.0 for c in range(n)],
        "negative": [-abs(v) - 1 for v in normal],
        "masked": [v if c % 7 == 0 else -INF for c, v in enumerate(normal)],
        "all masked": [-INF] * n,
        "infinite": [INF if c % 5 == 1 else v for c, v in enumerate(normal)],
        "NaN": [NAN if c % 11 == 3 else v for c, v in enumerate(normal)],
        "all NaN": [NAN] * n,
        # All of the greatest lie side by side, and so in few threads.
        "crowded": [8.0 + v if n // 2 <= c < n // 2 + 2 * k + 100 else v
                    for c, v in enumerate(normal)],
        "two values": [1.0 if v > 1 else 0.5 for v in normal],
        # All that is not -inf lies in the last columns; of fewer than k, -inf is picked, too.
        "late": [normal[c] if c >= n - max(1, k // 3) else -INF for c in range(n)],
    }
    if borders:
        # The greatest are equal, and lie on both sides of each border of slices.
        rows["borders"] = [9.0 if any(abs(c - border) <= k // 2 for border in borders) else v
                           for c, v in enumerate(normal)]
    return rows


def check(folder, n, k, dtype, pin="", index="i32", softmax=False, extra=(), slices=1, width=0,
          kinds=None):
    """Checks rows of n elements; `slices` of `width` columns, if so many are expected."""
    path = os.path.join(folder, "topk.mlir")
    with open(path, "w") as file:
        file.write(KERNEL % {"n": n, "k": k, "type": dtype, "index": index,
                             "softmax": "softmax" if softmax else ""})
    named = rows_of(n, k, n * 1000 + k, [width * i for i in range(1, slices)])
    named = {name: row for name, row in named.items() if kinds is None or name in kinds}
    rows = list(named.values())
    options = ["--pin=" + pin] if pin else []
    if slices > 1:
        code, text = command("quack-opt", path, "--emit=tv", *options)
        assert code == 0 and "split = %d," % slices in text and "slice = [%d:%d]" % (
            slices, width) in text, text
    values, columns = run(path, {"x": (rows, dtype)}, ["values", "columns"], *options, *extra)
    for name, row, got, at in zip(named, rows, values, columns):
        numbers, places = expected(row, k)
        where = (n, k, dtype, pin, name)
        assert at == places, (where, at[:8], places[:8])
        if softmax:
            terms = [math.exp(v - numbers[0]) if v > -INF else 0.0 for v in numbers]
            if not math.isfinite(numbers[0]):
                assert all(map(math.isnan, got)), where
                continue
            close(got, [t / math.fsum(terms) for t in terms], {"bf16": 8e-3, "f16": 1e-3, "f32": 1e-5}[dtype])
        else:
            assert all(bits(g) == bits(v) or (math.isnan(g) and math.isnan(v))
                       for g, v in zip(got, numbers)), (where, got[:8], numbers[:8])


def picks_of_every_shape(folder):
    for n, k in [(1, 1), (3, 2), (64, 64), (97, 5), (256, 256), (300, 32), (1000, 1), (1024, 8),
                 (1024, 32), (1025, 33), (2000, 256), (4096, 64)]:
        check(folder, n, k, "f32")
        check(folder, n, k, "bf16", index="i64")
    check(folder, 1000, 16, "f16", softmax=True)
    check(folder, 4099, 256, "bf16", softmax=True)


def picks_by_every_plan(folder):
    for n, k, dtype in [(1024, 8, "bf16"), (3000, 32, "f32")]:
        for threads, hold in itertools.product(
                ("threads = 128, threads_per_row = 32", "threads = 128, threads_per_row = 128",
                 "threads = 256, threads_per_row = 256"),
                ("registers", "async", "bulk", "reload") + (("packed",) if dtype == "bf16" else ())):
            check(folder, n, k, dtype, "%s, hold = {x = %s}" % (threads, hold))
    for n, extra in [(1001, ["--row-stride", "x=1003"]), (1024, ["--offset", "x=3"])]:
        check(folder, n, 20, "bf16", extra=extra)


def picks_of_slices(folder):
    """Rows that are split, by plans that make slices short: the last ones have fewer columns
    than are picked, or none."""
    warp = "threads = 32, threads_per_row = 32, cluster = 1, "
    for dtype in ("f32", "bf16", "f16"):
        vector = 4 if dtype == "f32" else 8
        for n, k, pin, slices, width in [
                (1000, 32, warp + "vector = 1, split = 5", 5, 224),
                (600, 100, "threads = 64, threads_per_row = 64, cluster = 1, vector = 4, split = 2", 2, 512),
                (300, 64, warp + "vector = 4, split = 8", 8, 128),
                (4099, 256, "threads = 128, threads_per_row = 128, cluster = 1, vector = %d, split = 3"
                 % vector, 3, 1536 if dtype == "f32" else 2048),
                (2000, 1, "threads = 128, threads_per_row = 32, cluster = 1, vector = 4, split = 3", 3, 768)]:
            check(folder, n, k, dtype, pin, slices=slices, width=width)
    for hold in ("registers", "packed", "async", "bulk", "reload"):
        check(folder, 1536, 20, "bf16", warp + "vector = 8, split = 3, hold = {x = %s}" % hold,
              index="i64", slices=3, width=512)
    for extra in (["--row-stride", "x=1003"], ["--offset", "x=3"]):
        check(folder, 1001, 20, "bf16", warp + "vector = 8, split = 2", extra=extra, slices=2, width=512)
        check(folder, 1001, 20, "f32", warp + "vector = 4, split = 3", softmax=True, extra=extra,
              slices=3, width=384)


def few_rows_are_split(folder):
    """A launch that is known to have few rows has more CTAs; the definition is the same."""
    path = os.path.join(folder, "topk.mlir")
    with open(path, "w") as file:
        file.write(KERNEL % {"n": 100000, "k": 8, "type": "bf16", "index": "i32", "softmax": ""})
    code, text = command("quack-opt", path, "--emit=tv", "--pin=rows = 1")
    assert code == 0 and "quack_tv.save_topk" in text, text
    check(folder, 100000, 8, "bf16", "rows = 1", kinds=("equal", "NaN", "late"))


def same_bits_for_each_number_of_rows(folder):
    """The softmax is the only sum."""
    path = os.path.join(folder, "topk.mlir")
    with open(path, "w") as file:
        file.write(KERNEL % {"n": 140000, "k": 40, "type": "f32", "index": "i32", "softmax": "softmax"})
    generator = random.Random(7)
    rows = [[generator.gauss(0, 3) for _ in range(140000)] for _ in range(3)]
    together, columns = run(path, {"x": (rows, "f32")}, ["values", "columns"])
    for row, shares, at in zip(rows, together, columns):
        alone, place = run(path, {"x": ([row], "f32")}, ["values", "columns"])
        assert list(map(bits, alone[0])) == list(map(bits, shares)) and place[0] == at


SEVERAL = """
quack.kernel @several(%x: memref<?x777xbf16> in row, %y: memref<?x777xbf16> out row,
                      %v: memref<?x5xf16> out picks, %c: memref<?x5xi64> out picks,
                      %w: memref<?x5xf32> out picks, %d: memref<?x5xi32> out picks) {
  %r = quack.load %x : memref<?x777xbf16> -> tensor<777xf32>
  %sum = quack.reduce addf %r : tensor<777xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<777xf32>
  %z = arith.subf %all, %r : tensor<777xf32>
  quack.topk %z to %v, %c : tensor<777xf32>, memref<?x5xf16>, memref<?x5xi64>
  quack.topk %r to %w, %d softmax : tensor<777xf32>, memref<?x5xf32>, memref<?x5xi32>
  quack.store %z, %y : tensor<777xf32>, memref<?x777xbf16>
}
"""


def several_in_one_kernel(folder):
    """Of rows that are computed, too; tiles have rows that do not exist, of which each pass may
    see another one: the bound for those need not be found."""
    path = os.path.join(folder, "several.mlir")
    with open(path, "w") as file:
        file.write(SEVERAL)
    for pin in ("", "hold = {x = reload}", "threads = 128, threads_per_row = 32, hold = {x = reload}",
                "threads = 128, threads_per_row = 128, hold = {x = packed}",
                "threads = 32, threads_per_row = 32, cluster = 1, split = 3, hold = {x = reload}",
                "threads = 128, threads_per_row = 32, cluster = 1, split = 2, alignment = element"):
        code, text = command("quack-run", "--device=sim", path, "--rows=5", "--verify",
                             *(["--pin=" + pin] if pin else []))
        assert code == 0, text


def long_rows(folder):
    for n, k, dtype in [(32768, 32, "bf16"), (40000, 256, "f32"), (131072, 64, "bf16")]:
        check(folder, n, k, dtype)


def longer_rows(folder):
    """Rows that no CTA can hold."""
    kinds = ("normal", "equal", "all masked", "late", "crowded", "NaN")
    check(folder, 262144, 256, "bf16", kinds=kinds)
    check(folder, 262144, 8, "f32", kinds=kinds, extra=["--offset", "x=1"])
    check(folder, 1000003, 32, "f32", kinds=kinds[:3], softmax=True)
    check(folder, 3000001, 256, "bf16", kinds=kinds[:2])


def gradients(folder):
    path = os.path.join(folder, "scatter.mlir")
    for n, k, source, to, pin in [
            (1, 1, "f32", "f32", ""), (1000, 32, "f32", "bf16", ""), (4096, 256, "bf16", "f32", ""),
            (1000, 8, "f32", "f32", "threads = 128, threads_per_row = 128"),
            (1000, 8, "f32", "f32", "threads = 128, threads_per_row = 32, alignment = element"),
            (1000, 100, "bf16", "bf16", "threads = 32, threads_per_row = 32, cluster = 1, vector = 8, split = 3"),
            (999, 100, "f32", "f32", "threads = 128, threads_per_row = 32, cluster = 1, vector = 4, split = 5, alignment = element"),
            (300001, 256, "f32", "bf16", "")]:
        with open(path, "w") as file:
            file.write("""
quack.kernel @topk_backward(%%dvalues: memref<?x%dx%s> in picks, %%columns: memref<?x%dxi32> in picks,
                            %%dx: memref<?x%dx%s> out row) {
  quack.scatter %%dvalues, %%columns to %%dx : memref<?x%dx%s>, memref<?x%dxi32>, memref<?x%dx%s>
}
""" % (k, source, k, n, to, k, source, k, n, to))
        generator = random.Random(n)
        columns = [generator.sample(range(n), k) for _ in range(5)]
        if k == 100:
            # The ends of slices of any multiple of 32 columns.
            columns[3] = ([c for c in range(n) if c % 32 in (0, 31)] + [0] * k)[:k]
        if k > 3:
            columns[1][0] = columns[1][3]          # the last one counts
            columns[2][1:3] = [-1, n]              # no columns
        values = [[float(generator.randrange(-64, 64)) for _ in range(k)] for _ in range(5)]
        dx = run(path, {"dvalues": (values, source), "columns": (columns, "i32")}, ["dx"],
                 *(["--pin=" + pin] if pin else []))
        for row, at, given in zip(dx, columns, values):
            want = [0.0] * n
            for c, v in zip(at, given):
                if 0 <= c < n:
                    want[c] = v
            assert row == want


def main():
    tests = [picks_of_every_shape, picks_by_every_plan, picks_of_slices, several_in_one_kernel, gradients]
    if "--long" in sys.argv:
        tests = [long_rows, longer_rows, few_rows_are_split, same_bits_for_each_number_of_rows]
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            test(folder)
            print(test.__name__)


main()
