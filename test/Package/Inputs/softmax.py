"""Runs softmax on an array with the package in a directory, and says whose library it loaded.

    softmax.py DIRECTORY LIBRARY
"""

import os
import sys

import numpy as np

directory, library = sys.argv[1:]
sys.path.insert(0, directory)
import quack_mlir

x = np.random.default_rng(3).standard_normal((3, 700)).astype(np.float32)
y = quack_mlir.compile("softmax")(x)
expected = np.exp(x.astype(np.float64))
expected /= expected.sum(axis=1, keepdims=True)
with open("/proc/self/maps", encoding="utf-8") as maps:
    loaded = {line.split()[-1] for line in maps if "libquack_c.so" in line}
isRight = np.allclose(y, expected, rtol=1e-5, atol=0) and loaded == {os.path.realpath(library)}
print("PASS" if isRight else f"FAIL: loaded {loaded}, expected {library}; got {y}")
