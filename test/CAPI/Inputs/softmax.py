# test/CAPI/Inputs/softmax.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes rows, or checks what a kernel made of them.

    softmax.py make X.npy M N
    softmax.py check X.npy Y.npy
"""

import sys

import numpy as np

verb, path, *rest = sys.argv[1:]
if verb == "make":
    shape = tuple(int(n) for n in rest)
    np.save(path, np.random.default_rng(1).normal(size=shape).astype(np.float32))
else:
    x, y = np.load(path).astype(np.float64), np.load(rest[0])
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    worst = np.abs(y.reshape(x.shape) / (e / e.sum(axis=-1, keepdims=True)) - 1).max()
    print("PASS" if worst < 1e-5 else f"off by {worst}")
