# test/Kernels/Inputs/check_bounds.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds every kernel of the library to its bound, and the bounds to the kernels: no error
beyond them, and on some adversarial row one of at least an eighth, for rows in f32 and for
rows in bf16 or f16, whose stores round more than all else.

    check_bounds.py lib/Kernels quick|long
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import cases
from hard_rows import is_adversarial

CLUSTER = "cluster = 2, threads = 64, threads_per_row = 64"
# Columns, storage of rows, pin, samples of each kind of row.
POINTS = {
    "quick": [(1000, "f32", "", 2), (997, "f32", "", 1), (4096, "f32", "", 1),
              (1000, "f32", CLUSTER, 1), (4096, "bf16", "", 1), (997, "f16", "", 2)],
    "long": [(columns, kind, pin, 2) for kind in ("f32", "bf16", "f16")
             for columns, pin in ((257, ""), (1000, CLUSTER), (4099, ""), (8192, ""))]
            + [(16384, "f32", "cluster = 4", 2), (32768, "f32", "", 2), (32768, "bf16", "", 1)],
}
# What is exact, or rounded by the store alone, has no error to be seen.
EXACT = {("max", "m"), ("min", "y"), ("amax", "y"), ("any", "y"), ("all", "y"),
         ("argmax", "column"), ("argmax", "value"), ("argmin", "column"), ("argmin", "value"),
         ("quantize_fp8_pow2", "scale"), ("quantize_fp8_groups_pow2", "scale"),
         ("target_count", "divisor")}
# One number a launch, in which the errors of many rows are averaged.
AVERAGED = {("cross_entropy", "total"), ("cross_entropy", "weight_sum"),
            ("cross_entropy_backward", "total"), ("target_weights", "divisor")}


def main(folder, points):
    runner = cases.Runner(folder)
    # What is picked is exact: see picks.py.
    library = {path.stem for path in pathlib.Path(folder).glob("*.mlir")
               if " picks" not in path.read_text()}
    missing = library - set(cases.FORMULAS) | library - {case[0] for case in cases.CASES}
    assert not missing, ("kernels without a bound (formulas.py) or a case (cases.py): %s"
                         % sorted(missing))

    def run(job):
        case, (columns, kind, pin, samples) = job
        return list(cases.check(runner, case, columns, kind, pin, samples))

    jobs = [(case, point) for point in points for case in cases.CASES]
    greatest, broken = {}, []
    with ThreadPoolExecutor(2) as pool:
        for (case, point), found in zip(jobs, pool.map(run, jobs)):
            for output, row, share in found:
                key = case[0], output, "f32" if point[1] == "f32" else "16 bits"
                greatest.setdefault(key, (0.0, "", point))
                if not share <= 1:
                    broken.append((case[0], output, row, share, point))
                if is_adversarial(row) and share > greatest[key][0]:
                    greatest[key] = share, row, point
    print("%-30s %-13s %-8s %s" % ("kernel", "output", "rows", "greatest error over its bound"))
    for key, (share, row, point) in sorted(greatest.items()):
        where = "%s, N = %d" % (row, point[0]) if row else ""
        print("%-30s %-13s %-8s %.3f  %s" % (*key, share, where))
    loose = [key for key, (share, _, _) in greatest.items()
             if key[:2] not in AVERAGED
             and ((share == 0) != (key[:2] in EXACT) or 0 < share < 0.125)]
    for line in broken:
        print("beyond the bound: %s %s, %s: %.3g of it, at %s" % line)
    assert not broken, "%d errors are beyond their bounds" % len(broken)
    assert not loose, "no row comes within an eighth of these bounds: %s" % loose


if __name__ == "__main__":
    main(sys.argv[1], POINTS[sys.argv[2]])
