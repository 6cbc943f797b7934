# test/Simulator/Inputs/sweep.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints jobs for quack-run --sweep: library kernels by columns, storage, plan.

sweep.py KERNELS FAMILY, where FAMILY is own (the planner's plans), large (the
same for rows of many warps and CTAs), holds, kept (rows that are read again, but
for a part in shared memory), clusters, tails (vectors that do
not divide N), anywhere (rows that start at any element), split (rows that several
clusters share), stays (clusters that work on one tile after the other), product (every kernel x columns x storage x cluster) or shapes
(softmax: columns x storage x offsets x row strides x rows), of which shapes:N takes
every Nth.
"""

import itertools
import json
import os
import re
import sys

kernels_dir, family = sys.argv[1:]
family, _, every = family.partition(":")
# Those that pick elements of a row have sweeps of their own (Kernels/picks.test).
kernels = sorted(f for f in os.listdir(kernels_dir) if f.endswith(".mlir") and
                 " picks" not in open(os.path.join(kernels_dir, f)).read())
# Kernels with sums over rows have a cluster for each partial, however few rows there are:
# those of rows, also where they are absent, and those of scalars that are always there.
SUMS = re.compile(r"quack\.accumulate .* : tensor|memref<f32> out single[,)]")
sums = [f for f in kernels if SUMS.search(open(os.path.join(kernels_dir, f)).read())]
# Groups of columns want plans that leave each to one warp.
pinned = [kernel for kernel in kernels if not kernel.endswith("_groups.mlir")]
holds = ["registers", "packed", "async", "bulk", "reload"]
cluster_plans = [
    "threads = 128, threads_per_row = 64, cluster = 2",
    "threads = 96, threads_per_row = 96, cluster = 2, exchange = ctas",
    "threads = 64, threads_per_row = 32, cluster = 4, rows_per_thread = 2",
    "threads = 64, threads_per_row = 64, cluster = 8, vector = 4",
    "threads = 32, threads_per_row = 32, cluster = 16, vector = 4",
    "threads = 64, threads_per_row = 32, cluster = 16, vector = 4, exchange = ctas",
]
types = ["f32", "bf16", "f16"]


def scalars(path):
    """Returns a number for each value operand of a program."""
    with open(path) as file:
        names = re.findall(r"%(\w+): (?:f32|i32|i64)[,)]", file.read())
    return {name: 1e-6 if name == "eps" else 0.01 for name in names}


def sample(jobs):
    """Returns every N-th of them, as FAMILY:N says."""
    return itertools.islice(jobs, 0, None, int(every or 1))


families = {
    "own": itertools.product(kernels, [1, 3, 8, 24, 100, 1000, 1024, 4104], types, [""]),
    "large": [
        (kernel, columns, types[(i + j) % 3], "")
        for i, kernel in enumerate(kernels)
        for j, columns in enumerate([8192, 32768, 131072])
    ],
    "product": [
        (kernel, columns, storage, "cluster = %d" % cluster if cluster else "")
        for kernel in pinned if kernel not in sums
        for columns in [1, 3, 8, 100, 1000, 1024, 4096, 8192, 32768, 131072]
        for storage in types
        for cluster in [0, 1, 2, 4, 8, 16]
        # No plan lets a CTA hold 256 KiB of a row.
        if not (columns == 131072 and (cluster == 1 or (cluster == 2 and storage == "f32")))
    ],
    "holds": itertools.product(
        ["softmax.mlir", "log_softmax.mlir", "l2_normalize.mlir"],
        [1064],
        ["f32", "bf16"],
        [
            "%s, hold = {x = %s}%s" % (plan, hold, ", kept = 0" * (hold == "reload"))
            for hold in holds
            for plan in ["threads = 96, threads_per_row = 96",
                         "threads = 64, threads_per_row = 32, rows_per_thread = 2",
                         "threads = 128, threads_per_row = 64, cluster = 2"]
        ],
    ),
    "kept": [
        (kernel, columns, storage,
         "alignment = %s, threads = 64, %s, hold = {x = reload}, kept = %s"
         % (alignment, plan, kept))
        for kernel in ["softmax.mlir", "log_softmax.mlir", "l2_normalize.mlir"]
        for columns, alignment in [(1003, "element"), (1064, "vector")]
        for storage in types
        for plan, kept in [
            ("threads_per_row = 64", 8),
            ("threads_per_row = 32, rows_per_thread = 2", 40),
            ("threads_per_row = 64, cluster = 2, vector = 4", 4),
        ]
    ],
    "clusters": itertools.product(pinned, [4000], ["f32", "bf16"], cluster_plans),
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
STAYING = [
    "threads = 64, threads_per_row = 64, partials = 3",
    "threads = 64, threads_per_row = 32, rows_per_thread = 2, partials = 2, hold = {x = async}",
    "threads = 64, threads_per_row = 64, cluster = 4, partials = 2, hold = {x = async}",
    "threads = 64, threads_per_row = 32, cluster = 2, exchange = ctas, partials = 3",
]
OVERLAPPING = [
    "threads = 64, threads_per_row = 64, cluster = 4, partials = 2, overlap = true",
    "threads = 64, threads_per_row = 32, cluster = 2, partials = 1, overlap = true",
]
families["stays"] = [
    (kernel + ".mlir", 2000, storage, plan)
    for kernel, storages in [
        ("layer_norm", ["f32,weight:f32,bias:f32", "bf16,weight:bf16"]),
        ("rms_norm", ["f32,weight:f32", "bf16,weight:f32,rstd:f32"]),
        ("rms_norm_quantize_fp8", ["f32", "bf16,weight:bf16"]),
        ("layer_norm_quantize_fp8", ["bf16,weight:bf16,bias:bf16"]),
        ("softmax", ["f32"]),
        ("argmax", ["bf16"]),
    ]
    for storage in storages
    # Where rows meet more than once tiles do not overlap.
    for plan in STAYING + OVERLAPPING * (len(storages) > 1)
]
families["anywhere"] = [
    (kernel, columns, storage, "alignment = element")
    for kernel in ["softmax.mlir", "sum.mlir"]
    for columns in [1, 2, 7, 8, 33, 129, 1003]
    for storage in types
] + [
    ("softmax.mlir", columns, storage, "alignment = element, " + pin)
    for columns in [257, 1003]
    for storage in ["f32", "bf16", "x:bf16,y:f32", "x:f32,y:f16"]
    for pin in [
        "threads = 64, threads_per_row = 16, rows_per_thread = 1, vector = 8, hold = {x = reload}",
        "threads = 64, threads_per_row = 32, cluster = 2, hold = {x = packed}",
        "threads = 64, threads_per_row = 64, cluster = 4, vector = 4",
    ]
]
SHAPES = [
    1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 63, 65, 96, 100, 127, 129, 255, 257, 513, 576, 768,
    1000, 1023, 1025, 1152, 3420, 3584, 4097, 7168, 12288, 16383, 16385, 32000, 50257, 65535,
    65537, 128256, 131071, 151936, 200019, 262143, 262145, 524287, 1048576]
OFFSETS = [0, 1, 2, 3, 4, 7]


def shapes():
    """Yields jobs; those of one kernel follow each other. Both arrays start at any element."""
    for columns, storage in itertools.product(SHAPES, types):
        for i, offset in enumerate(OFFSETS):
            for gap, rows in itertools.product([0, 1, 8], [0, 1, 3] + [129] * (columns <= 8192)):
                yield {
                    "kernel": os.path.join(kernels_dir, "softmax.mlir"),
                    "columns": columns,
                    "storage": storage,
                    "rows": rows,
                    "verify": True,
                    "row_strides": dict.fromkeys("xy", columns + gap),
                    "offsets": {"x": offset, "y": OFFSETS[(i + gap) % len(OFFSETS)]},
                }


SPLIT_PLANS = [
    (1003, "threads = 64, threads_per_row = 64, split = 2"),
    (1003, "threads = 64, threads_per_row = 32, split = 3, rows_per_thread = 2"),
    (2000, "threads = 96, threads_per_row = 96, cluster = 2, split = 5, exchange = ctas"),
    (4097, "threads = 64, threads_per_row = 32, cluster = 2, split = 16"),
    (129, "threads = 32, threads_per_row = 32, split = 64"),
]


def split():
    """Yields jobs with rows that are aligned, and with rows that start anywhere."""
    programs = os.path.join(os.path.dirname(__file__), "../../Semantics/programs")
    files = [os.path.join(kernels_dir, name + ".mlir")
             for name in ["softmax", "sum", "logsumexp", "l2_normalize"]]
    files += [os.path.join(programs, name + ".mlir")
              for name in ["residual-rms-norm", "layer-norm"]]
    arrays = [["x", "y"], ["x"], ["x"], ["x", "y"], ["x", "residual", "sum_out", "y"], ["x", "y"]]
    for (file, names), storage, (columns, pin) in itertools.product(
            zip(files, arrays), ["f32", "bf16"], SPLIT_PLANS):
        # A row that is stored early may not be read again.
        if columns == 4097 and len(names) < 4:
            pin += ", hold = {x = reload}"
        for rows, (stride, offset) in itertools.product(
                [0, 1, 3], [(columns + -columns % 8, 0), (columns, 0), (columns + 1, 3)]):
            yield {
                "kernel": file,
                "columns": columns,
                "storage": storage,
                "pin": pin,
                "rows": rows,
                "verify": True,
                "row_strides": dict.fromkeys(names, stride),
                "offsets": {name: (offset + i * offset) % 8 for i, name in enumerate(names)},
                "scalars": scalars(file),
            }


if family in ["shapes", "split"]:
    jobs = shapes() if family == "shapes" else split()
    for job in sample(jobs):
        print(json.dumps(job))
    sys.exit()

for kernel, columns, storage, pin in sample(families[family]):
    if kernel in sums:
        pin += (", " if pin else "") + "partials = 2"
    job = {
        "kernel": os.path.join(kernels_dir, kernel),
        "columns": columns,
        "storage": storage,
        "pin": pin,
        # Nine rows of odd length start at each place that there is; where tiles overlap,
        # an exchange's buffer is written again after eight tiles.
        "rows": {"anywhere": 9, "stays": 23}.get(family, 3),
        "verify": True,
        # Vectors want aligned rows.
        "row_strides": dict.fromkeys("xy", -columns % 8 + columns) if family == "tails" else {},
        "scalars": scalars(os.path.join(kernels_dir, kernel)),
    }
    print(json.dumps(job))
