# test/Simulator/Cuda/corpus.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each kernel of this folder is launched, and on what.

Inputs come from a hash of the index, so that they are the same in the simulator
and on a GPU without being stored. Needs nothing but Python.

An argument is written
    bits:COUNT:SEED            any words
    ints:COUNT:SEED:LOW:HIGH   integers from LOW to HIGH
    wholes:COUNT:SEED:LOW:HIGH the same as f32
    floats:COUNT:SEED:LOW:HIGH f32 from LOW to HIGH
    doubles:COUNT:SEED:LOW:HIGH
    singles:COUNT:SEED         f32 patterns: zeros, subnormals, NaN, ...
    patterns64:COUNT:SEED      the same of f64
    halves:COUNT:SEED          the same of pairs of f16
    bfloats:COUNT:SEED         the same of pairs of bf16
    places:COUNT:FORMULA       a Python expression of the lane i
    out:WORDS                  zeros, and compared afterwards
    i32:N i64:N i8:N f32:X     a number
    hex:DIGITS                 a struct's bytes
"""

import dataclasses
import math
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Launch:
    file: str
    kernel: str
    grid: str
    block: str
    arguments: list
    cluster: int = 1
    shared: int = 0
    # Of each of equal parts of the output: a bound of the relative and of the
    # absolute difference; empty: not one bit may differ.
    tolerances: tuple = ()
    variant: str = ""

    @property
    def name(self):
        return self.kernel + self.variant

    def extent(self, what):
        parts = [int(part) for part in getattr(self, what).split("x")]
        return parts + [1] * (3 - len(parts))


def mix(x):
    """A hash of 32 bits: each bit of the result depends on all of x."""
    x &= 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return x ^ x >> 16


def mixes(count, seed):
    return [mix(i + int(seed) * 0x9E3779B9 + 1) for i in range(count)]


def edges(bits, mantissa, count, seed):
    """Half of them patterns at which something changes, half of them any."""
    exponent = bits - 1 - mantissa
    bias, top = (1 << exponent - 1) - 1, (1 << exponent) - 1
    exponents = [0, 1, 2, bias - 1, bias, bias + 1, bias + mantissa // 2,
                 bias + mantissa, bias + mantissa + 1, bias + 14, bias + 15,
                 bias + 30, bias + 31, bias - 14, bias - 15, top - 1, top]
    exponents = [min(max(e, 0), top) for e in exponents]
    last = (1 << mantissa) - 1
    mantissas = [0, 1, last, last - 1, 1 << mantissa - 1,
                 (1 << mantissa - 1) - 1, (1 << mantissa - 1) + 1,
                 last ^ 1 << mantissa - 1]
    result = []
    for i, hashed in enumerate(mixes(count, seed)):
        more = mix(hashed + i) << 32 | hashed
        sign = (hashed >> 31) << bits - 1
        if hashed & 1:
            result.append(sign | more >> 7 & (1 << bits - 1) - 1)
        else:
            result.append(sign
                          | exponents[(hashed >> 1) % len(exponents)] << mantissa
                          | mantissas[(hashed >> 9) % len(mantissas)])
    return result


def generate(text):
    """Returns the bytes of an input array."""
    kind, count, seed, *limits = text.split(":")
    count = int(count)
    if kind == "places":
        code = compile(seed, "places", "eval")
        words = [eval(code, {"i": i}) for i in range(count)]
        return struct.pack(f"<{count}i", *words)
    if kind in ("singles", "patterns64", "halves", "bfloats"):
        bits, mantissa, letter = {"singles": (32, 23, "I"),
                                  "patterns64": (64, 52, "Q"),
                                  "halves": (16, 10, "H"),
                                  "bfloats": (16, 7, "H")}[kind]
        count *= 2 if bits == 16 else 1
        return struct.pack(f"<{count}{letter}",
                           *edges(bits, mantissa, count, seed))
    hashes = mixes(count, seed)
    if kind == "bits":
        return struct.pack(f"<{count}I", *hashes)
    low, high = map(float, limits)
    if kind in ("ints", "wholes"):
        span = int(high) - int(low) + 1
        values = [int(low) + h % span for h in hashes]
        return struct.pack(f"<{count}{'i' if kind == 'ints' else 'f'}", *values)
    letter = {"floats": "f", "doubles": "d"}[kind]
    values = [low + (h / 2**32) * (high - low) for h in hashes]
    return struct.pack(f"<{count}{letter}", *values)


def is_array(text):
    return text.split(":")[0] not in ("i8", "i32", "i64", "f32", "hex")


# What PTX and the CUDA C++ Programming Guide allow the functions of mathApprox,
# relative and absolute; twice, since both sides may be off.
ULP = 2.0**-23
MATH_APPROX = (
    (4 * ULP, 0), (32 * ULP, 0), (4 * ULP, 0),            # expf __expf exp2f
    (4 * ULP, 0), (4 * ULP, 2**-20), (4 * ULP, 2**-21),   # logf __logf log2f
    (4 * ULP, 0), (4 * ULP, 0), (4 * ULP, 0),             # log1pf expm1f rsqrtf
    (4 * ULP, 0), (4 * ULP, 0), (0, 2**-13.7),            # sinf cosf __sinf
    (0, 2**-13.7), (4 * ULP, 0), (16 * ULP, 0),             # __cosf tanhf powf
    (4 * ULP, 0), (4 * ULP, 0), (8 * ULP, 0))  # __fdividef cbrtf the logistic

# int scale[4]; long long bias; short step; float factor.
OPTIONS = struct.pack("<4iqhxxf", 2, -3, 5, 7, 1 << 40 | 11, -4, 0.75).hex()

LAUNCHES = [
    Launch("transpose", "transposePadded", "3x2", "32x8",
           ["bits:6000:1", "out:6000", "i32:60", "i32:100"]),
    Launch("transpose", "transposeConflicts", "3x2", "32x8",
           ["bits:6144:2", "out:6144", "i32:64", "i32:96"]),
    Launch("block-reduce", "blockReduce", "4", "192",
           ["wholes:4000:3:-999:999", "out:12", "i32:1000"]),
    Launch("warp-scan", "warpScan", "3", "256", ["bits:768:4", "out:768"]),
    Launch("warp-scan", "shuffles", "2", "96", ["bits:192:5", "out:192"]),
    Launch("histogram", "histogram", "4", "128",
           ["bits:3000:6", "out:64", "i32:3000"]),
    Launch("cluster-reduce", "clusterReduce", "8", "128",
           ["bits:4000:7", "out:8", "i32:2000"], cluster=4),
    Launch("cluster-reduce", "clusterRing", "6", "96",
           ["bits:576:8", "out:192"], cluster=3),
    Launch("pipeline", "pipeline", "2", "128",
           ["bits:5120:9", "out:256", "i32:5"]),
    Launch("pipeline", "pipelineFill", "1", "128",
           ["bits:100:10", "out:128", "i32:100"]),
    Launch("bulk-copy", "bulkCopy", "2", "64",
           ["bits:3072:11", "out:3072", "i32:3"]),
    Launch("bulk-copy", "bulkCluster", "8", "64", ["bits:512:12", "out:512"],
           cluster=4),
    Launch("bulk-copy", "bulkReduce", "3", "128", ["bits:384:13", "out:128"]),
    Launch("collatz", "collatz", "2", "96", ["bits:192:14", "out:192"]),
    Launch("calls", "calls", "2", "64", ["ints:128:15:0:100000", "out:128"]),
    Launch("half", "halfArith", "2", "128",
           ["halves:768:16", "out:6144", "i32:256"]),
    Launch("half", "bfloatArith", "2", "128",
           ["bfloats:768:17", "out:4352", "i32:256"]),
    Launch("conversions", "fromSingle", "2", "128",
           ["singles:256:18", "out:7424", "i32:256"]),
    Launch("conversions", "fromSmall", "256", "256", ["out:4096"]),
    Launch("conversions", "fromIntegers", "2", "128",
           ["bits:256:19", "out:4352", "i32:256"]),
    Launch("votes", "votes", "2", "96", ["bits:192:20", "out:192"]),
    Launch("votes", "groups", "2", "96", ["bits:192:21", "out:192"]),
    Launch("dynamic-shared", "dynamicShared", "2", "96",
           ["bits:400:22", "out:800", "i32:200"], shared=2800),
    Launch("local-array", "localArray", "2", "64",
           ["bits:2048:23", "out:2176"]),
    Launch("switch", "interpret", "2", "96", ["bits:3072:24", "out:192"]),
    Launch("bits", "bits", "2", "64", ["bits:384:25", "out:5376", "i32:128"]),
    Launch("math-exact", "mathExact", "2", "128",
           ["singles:768:26", "out:6912", "i32:256"]),
    Launch("math-approx", "mathApprox", "2", "128",
           ["floats:512:27:-20:20", "out:4608", "i32:256"], tolerances=MATH_APPROX),
    Launch("double", "doubles", "2", "64",
           ["patterns64:384:29", "out:5632", "i32:128"]),
    Launch("double-functions", "doubleFunctions", "2", "64",
           ["doubles:256:30:-30:30", "out:1024", "i32:128"]),
    Launch("double-functions", "sines", "2", "64",
           ["doubles:128:31:-30:30", "out:256", "i32:128"]),
    Launch("parameters", "parameters", "2", "64",
           ["bits:128:32", "out:128", "hex:" + OPTIONS, "i8:-5"]),
    Launch("grid-reduce", "gridReduce", "6", "128",
           ["bits:5000:33", "out:6", "out:1", "i32:5000"]),
    Launch("grid-reduce", "chainedScan", "6", "128",
           ["bits:768:34", "out:768", "out:6", "out:6"]),
    Launch("atomics", "atomics", "4", "64",
           ["bits:256:35", "out:40", "out:4", "out:8", "out:2", "out:5",
            "out:16", "out:1"]),
    Launch("access", "strided", "2", "128",
           ["wholes:1024:36:-99:99", "out:256", "i32:3"]),
    Launch("access", "widths", "2", "128",
           ["bits:1024:37", "out:1216", "i32:256"]),
    Launch("access", "banks", "2", "128",
           ["wholes:1024:38:-99:99", "out:1024"]),
    *[Launch("access", f"load{hint}", "2", "64", ["bits:512:44", "out:128"])
      for hint in ("Nc", "Ca", "Cg", "Cs", "Lu", "Cv")],
    Launch("barriers", "namedBarriers", "2", "128",
           ["bits:640:39", "out:128", "i32:5"]),
    Launch("barriers", "votingBarriers", "2", "96",
           ["bits:192:40", "out:192"]),
    Launch("barriers", "blockBarrier", "2", "128",
           ["bits:256:41", "out:256", "i32:4"]),
    Launch("matmul", "matmul", "2x2", "16x16",
           ["wholes:1024:42:-9:9", "wholes:1024:43:-9:9", "out:1024",
            "i32:32"]),
] + [
    Launch("wavefronts", f"{kind}{width}", "1", "32",
           ["places:32:(i * 9 % 32 if i % 7 else -1)",
            "out:32" if kind == "load" else "out:1024"])
    for kind in ("load", "store") for width in (4, 8, 16)
] + [
    Launch("wavefronts", "atomic4", "1", "32",
           ["places:32:i * i % 41", "out:1024"]),
    Launch("wavefronts", "shuffle4", "1", "32", ["places:32:i * 7", "out:32"]),
]
