# test/Kernels/Inputs/twins.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong twins of the library's kernels: a sum kept in bf16, one without an element, one
with an element twice, a variance as E[x^2] - E[x]^2. Each is a good program of wrong
mathematics, and the bounds must tell: on some row it is farther off than they allow."""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cases
from hard_rows import is_adversarial

COLUMNS = 1000

# What becomes of %IN, of the type f32 a column, on its way into a reduction.
ONE_COLUMN = """  %KEY_columns = quack.index : tensor<?xi32>
  %KEY_wanted = arith.constant COLUMN : i32
  %KEY_row = quack.broadcast %KEY_wanted : i32 -> tensor<?xi32>
  %KEY_is = arith.cmpi eq, %KEY_columns, %KEY_row : tensor<?xi32>
"""
DROPPED = ONE_COLUMN + """  %KEY_one = arith.constant IDENTITY : f32
  %KEY_ones = quack.broadcast %KEY_one : f32 -> tensor<?xf32>
  %KEY = arith.select %KEY_is, %KEY_ones, %IN : tensor<?xi1>, tensor<?xf32>
"""
TWICE = ONE_COLUMN + """  %KEY_both = arith.COMBINE %IN, %IN : tensor<?xf32>
  %KEY = arith.select %KEY_is, %KEY_both, %IN : tensor<?xi1>, tensor<?xf32>
"""
NARROWED = """  %KEY_low = arith.truncf %IN : tensor<?xf32> to tensor<?xbf16>
  %KEY = arith.extf %KEY_low : tensor<?xbf16> to tensor<?xf32>
"""
BF16_SUM = """  %OUT = quack.reduce combine %IN identity [IDENTITY : f32] : tensor<?xf32> -> f32 {
  ^bb0(%KEY_a: f32, %KEY_b: f32):
    %KEY_s = arith.COMBINE %KEY_a, %KEY_b : f32
    %KEY_low = arith.truncf %KEY_s : f32 to bf16
    %KEY_wide = arith.extf %KEY_low : bf16 to f32
    quack.yield %KEY_wide : f32
  }
"""
MEAN = """  %KEY_n = quack.columns : i32
  %KEY_count = arith.sitofp %KEY_n : i32 to f32
  %KEY_sum = quack.reduce addf %IN : tensor<?xf32> -> f32
  %MEAN = arith.divf %KEY_sum, %KEY_count : f32
  %LOW = arith.constant 0.0 : f32
"""
TWO_PASSES = MEAN + """  %KEY_means = quack.broadcast %MEAN : f32 -> tensor<?xf32>
  %KEY_off = arith.subf %IN, %KEY_means : tensor<?xf32>
  %KEY_squares = arith.mulf %KEY_off, %KEY_off : tensor<?xf32>
  %SQUARES = quack.reduce addf %KEY_squares : tensor<?xf32> -> f32
"""
TEXTBOOK = MEAN + """  %KEY_products = arith.mulf %IN, %IN : tensor<?xf32>
  %KEY_all = quack.reduce addf %KEY_products : tensor<?xf32> -> f32
  %KEY_part = arith.mulf %KEY_sum, %MEAN : f32
  %SQUARES = arith.subf %KEY_all, %KEY_part : f32
"""
REDUCE = re.compile(r"^  %(\w+) = quack\.(?:group_)?reduce (\w+) %(\w+) : tensor<\?xf32> -> .*\n",
                    re.M)
ACCUMULATE = re.compile(r"^  quack\.accumulate %(\w+), %(\w+) : (.*), .*\n", re.M)
MOMENTS = re.compile(r"^  %(\w+), %(\w+), %(\w+) = quack\.moments %(\w+) : tensor<\?xf32>\n", re.M)
IDENTITIES = {"addf": "0.0", "mulf": "1.0", "maximumf": "0xFF800000", "minimumf": "0x7F800000"}


def fill(template, **names):
    for name, text in names.items():
        template = re.sub(r"\b%s(?=\b|_)" % name, text, template)
    return template


def put(text, match, new):
    return text[:match.start()] + new + text[match.end():]


def twins_of_sum(text, match, key):
    """Of a reduction by kind; an element too many or a narrow sum change no maximum."""
    out, kind, source = match.groups()
    column = COLUMNS - 1 if kind in ("addf", "mulf") else 0
    names = {"KEY": key, "IN": source, "OUT": out, "COMBINE": kind, "COLUMN": str(column),
             "IDENTITY": IDENTITIES[kind]}
    again = match.group(0).replace("%" + source + " ", "%" + key + " ")
    yield "dropped", put(text, match, fill(DROPPED, **names) + again)
    if kind in ("addf", "mulf"):
        yield "twice", put(text, match, fill(TWICE, **names) + again)
        yield "bf16", put(text, match, fill(BF16_SUM, **names))


def twins_of_accumulate(text, match, key):
    source = match.group(1)
    names = {"KEY": key, "IN": source, "COLUMN": str(COLUMNS - 1), "IDENTITY": "0.0",
             "COMBINE": "addf"}
    again = match.group(0).replace("%" + source + ",", "%" + key + ",")
    if match.group(3) == "f32":
        yield "bf16", put(text, match, fill(NARROWED.replace("tensor<?xf32>", "f32").replace(
            "tensor<?xbf16>", "bf16"), **names) + again)
        return
    for name, template in (("dropped", DROPPED), ("twice", TWICE), ("bf16", NARROWED)):
        yield name, put(text, match, fill(template, **names) + again)


def twins_of_moments(text, match, key):
    mean, low, squares, source = match.groups()
    names = {"KEY": key, "IN": source, "MEAN": mean, "LOW": low, "SQUARES": squares}
    yield "textbook", put(text, match, fill(TEXTBOOK, **names))
    # The others are twins of the sum of squares of two passes.
    passes = put(text, match, fill(TWO_PASSES, **names))
    for sum_of_squares in REDUCE.finditer(passes):
        if sum_of_squares.group(1) == squares:
            yield from twins_of_sum(passes, sum_of_squares, key + "_of_squares")


# A maximum that is only subtracted may be any number.
SHIFTS = {"softmax", "log_softmax", "logsumexp", "cross_entropy", "cross_entropy_backward"}


def twins(kernel, text):
    """Yields (name, text)."""
    for make, pattern in ((twins_of_sum, REDUCE), (twins_of_accumulate, ACCUMULATE),
                          (twins_of_moments, MOMENTS)):
        for number, match in enumerate(pattern.finditer(text)):
            if make is twins_of_sum and match.group(2) not in IDENTITIES:
                continue
            if make is twins_of_sum and "imum" in match.group(2) and kernel in SHIFTS:
                continue
            what = match.group({twins_of_sum: 1, twins_of_accumulate: 2, twins_of_moments: 4}[make])
            for name, twin in make(text, match, "twin%d" % number):
                yield "%s of %%%s" % (name, what), twin


def greatest_share(runner, kernel, text):
    """The most that any output of any case is off, over its bound, and where."""
    worst = (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, kernel + ".mlir")
        with open(path, "w") as file:
            file.write(text)
        for case in cases.CASES:
            if case[0] != kernel:
                continue
            for output, row, share in cases.check(runner, case, COLUMNS, "f32", path=path):
                if is_adversarial(row):
                    worst = max(worst, (share, "%s, %s" % (output, row)))
            if worst[0] > 1:
                break
    return worst


def main(folder):
    runner = cases.Runner(folder)
    jobs = []
    for kernel in sorted({case[0] for case in cases.CASES}):
        with open(os.path.join(folder, kernel + ".mlir")) as file:
            text = file.read()
        jobs += [(kernel, name, twin) for name, twin in twins(kernel, text)]
    passed = []
    with ThreadPoolExecutor(2) as pool:
        shares = pool.map(lambda job: greatest_share(runner, job[0], job[2]), jobs)
        for (kernel, name, _), (share, where) in zip(jobs, shares):
            print("%-28s %-24s %9.3g of the bound: %s" % (kernel, name, share, where))
            if not share > 1:
                passed.append("%s, %s" % (kernel, name))
    assert not passed, "wrong twins within the bounds: " + "; ".join(passed)
    print("%d wrong twins break their bounds" % len(jobs))


main(sys.argv[1])
