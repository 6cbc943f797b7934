# test/Simulator/Inputs/sweep.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints jobs for quack-run --sweep: library kernels by columns, storage, plan.

sweep.py KERNELS FAMILY, where FAMILY is own (the planner's plans), holds,
clusters or tails (vectors that do not divide N).
"""

import itertools
import json
import os
import sys

kernels_dir, family = sys.argv[1:]
kernels = sorted(f for f in os.listdir(kernels_dir) if f.endswith(".mlir"))
holds = ["registers", "packed", "async", "bulk", "reload"]
cluster_plans = [
    "threads = 128, threads_per_row = 64, cluster = 2",
    "threads = 96, threads_per_row = 96, cluster = 2, exchange = ctas",
    "threads = 64, threads_per_row = 32, cluster = 4, rows_per_thread = 2",
    "threads = 64, threads_per_row = 64, cluster = 8, vector = 4",
    "threads = 32, threads_per_row = 32, cluster = 16, vector = 4",
    "threads = 64, threads_per_row = 32, cluster = 16, vector = 4, exchange = ctas",
]
families = {
    "own": itertools.product(kernels, [1, 7, 24, 1000, 4104], ["f32", "bf16", "f16"], [""]),
    "holds": itertools.product(
        ["softmax.mlir", "log_softmax.mlir", "l2_normalize.mlir"],
        [1064],
        ["f32", "bf16"],
        [
            "%s, hold = {x = %s}" % (plan, hold)
            for hold in holds
            for plan in ["threads = 96, threads_per_row = 96",
                         "threads = 64, threads_per_row = 32, rows_per_thread = 2",
                         "threads = 128, threads_per_row = 64, cluster = 2"]
        ],
    ),
    "clusters": itertools.product(kernels, [4000], ["f32", "bf16"], cluster_plans),
    "tails": [
        ("softmax.mlir", columns, storage,
         "vector = %d, threads = 64, threads_per_row = 64, cluster = %d, hold = {x = %s}"
         % (4 if storage == "f32" else 8, cluster, hold))
        for columns in [1, 3, 9, 257, 1003]
        for storage in ["f32", "bf16"]
        for hold in holds
        for cluster in ([1, 2] if columns > 1000 else [1])
    ],
}
for kernel, columns, storage, pin in families[family]:
    job = {
        "kernel": os.path.join(kernels_dir, kernel),
        "columns": columns,
        "storage": storage,
        "pin": pin,
        "rows": 3,
        "verify": True,
        # Vectors want aligned rows.
        "row_strides": dict.fromkeys("xy", -columns % 8 + columns) if family == "tails" else {},
        "scalars": {"eps": 1e-6} if kernel == "l2_normalize.mlir" else {},
    }
    print(json.dumps(job))
