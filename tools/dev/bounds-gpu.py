#!/usr/bin/env python3
# tools/dev/bounds-gpu.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the library's kernels to their error bounds on a GPU, and their gradients to
torch's autograd in float64.

    tools/dev/bounds-gpu.py --tool=quack-run [--device=gpu|sim] [--jobs=COUNT] [KERNEL...]

Prints a line for each output: the greatest error over its bound (lib/Kernels/README.md),
on adversarial rows and others; then a line for each gradient: the greatest distance from
autograd over what is allowed, and that distance beside that of torch's own gradient in the
storage type. Allowed is the bound, and what the rounding of saved results (y, rstd) moves
the gradient by. Exits 1 if anything is beyond. Needs numpy; torch for the gradients, which
are left out without it; the files of lib/Kernels and test/Kernels/Inputs.
"""

import argparse
import collections
import os
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Kernels" / "Inputs"))

import cases
from check_bounds import AVERAGED, CLUSTER, EXACT
from hard_rows import is_adversarial

# Columns, storage of rows, pin, samples of each kind of row.
POINTS = [(1000, "f32", "", 2), (4096, "f32", "", 1), (8192, "f32", "", 1),
          (1000, "f32", CLUSTER, 1), (4096, "bf16", "", 1), (997, "f16", "", 2)]


def check_points(runner, pool, kernels):
    """Returns how many lines are beyond a bound."""
    def run(job):
        case, (columns, kind, pin, samples) = job
        try:
            return list(cases.check(runner, case, columns, kind, pin, samples))
        except Exception as error:  # a line of its own, and the others go on
            return error

    jobs = [(case, point) for point in POINTS for case in cases.CASES
            if not kernels or case[0] in kernels]
    worst = collections.defaultdict(lambda: (-1.0, "", 0))
    hardest = collections.defaultdict(float)
    failures = []
    for (case, point), found in zip(jobs, pool.map(run, jobs)):
        if isinstance(found, Exception):
            failures.append("%s, N = %d, %s: %r" % (case[0], point[0], point[1], found))
            continue
        for output, row, share in found:
            key = case[0], output, "f32" if point[1] == "f32" else "16 bits"
            worst[key] = max(worst[key], (share, row, point[0]))
            if is_adversarial(row):
                hardest[key] = max(hardest[key], share)
    bad = len(failures)
    for key, (share, row, columns) in sorted(worst.items()):
        isBeyond = not share <= 1
        isLoose = key[:2] not in EXACT | AVERAGED and hardest[key] < 0.125
        bad += isBeyond
        verdict = "BEYOND" if isBeyond else "loose" if isLoose else "ok"
        print("bound    %-6s %-28s %-12s %-7s %.3f of the bound, %.3f where adversarial  %s, N = %d"
              % (verdict, *key, share, hardest[key], row, columns))
    for text in failures:
        print("bound    FAILED " + text)
    return bad, len(worst) + len(failures)


def check_gradients(runner, pool, kernels):
    import autograd
    checks = [check for check in autograd.CHECKS if not kernels or check.kernel in kernels]
    jobs = [(check, columns, kind) for check in checks
            for columns, kind in ((1000, "f32"), (4096, "f32"), (4096, "bf16"), (1000, "f16"))]

    def run(job):
        try:
            return autograd.run(runner, *job)
        except Exception as error:  # a line of its own, and the others go on
            return error

    bad, count = 0, 0
    for (check, columns, kind), found in zip(jobs, pool.map(run, jobs)):
        where = "%-42s N = %-5d %-5s" % (check.name, columns, kind)
        if isinstance(found, Exception):
            print("autograd FAILED %s %r" % (where, found))
            bad, count = bad + 1, count + 1
            continue
        for output, share, ours, theirs in found:
            count += 1
            isBeyond = not share <= 1
            bad += isBeyond
            print("autograd %-6s %s %-4s %.3f of what is allowed; off by %.2e, torch by %.2e"
                  % ("BEYOND" if isBeyond else "ok", where, output, share, ours, theirs))
    return bad, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tool", default="quack-run")
    parser.add_argument("--device", default="gpu", choices=("gpu", "sim"))
    parser.add_argument("--jobs", type=int, default=min(16, os.cpu_count()))
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    begin = time.time()
    runner = cases.Runner(str(ROOT / "lib" / "Kernels"), options.device,
                          os.path.abspath(options.tool) if "/" in options.tool else options.tool)
    with ThreadPoolExecutor(options.jobs) as pool:
        bad, count = check_points(runner, pool, options.kernels)
        try:
            import torch
        except ImportError:
            print("autograd left out: there is no torch")
        else:
            more = check_gradients(runner, pool, options.kernels)
            bad, count = bad + more[0], count + more[1]
    print("%d lines, %d of them bad, in %.0f s" % (count, bad, time.time() - begin))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
