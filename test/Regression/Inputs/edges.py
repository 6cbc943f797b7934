# test/Regression/Inputs/edges.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each library kernel on rows around vectors, warps and tiles.

edges.py KERNELS EVERY: takes every EVERYth length and type of each kernel."""

from regression import *

LENGTHS = [1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 63, 65, 127, 129, 255, 257, 513, 1000, 1025, 4097]
every = int(sys.argv[2])
jobs = []
for k, (name, kernel) in enumerate(kernels().items()):
    shapes = [(columns, storage) for columns in LENGTHS for storage in ["f32", "bf16", "f16"]]
    for columns, storage in shapes[k % every::every]:
        strides = {row: columns + 3 + 2 * i for i, row in enumerate(rows(kernel))}
        jobs += [{"kernel": kernel, "columns": columns, "storage": storage, "rows": count,
                  "scalars": scalars(kernel),
                  "row_strides": strides} for count in [1, 3]]
assert all(line["verify"].startswith("ok") for line in sweep(jobs))
