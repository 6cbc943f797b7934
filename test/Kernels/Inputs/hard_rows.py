# test/Kernels/Inputs/hard_rows.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that make kernels err, rows at random and rows as a network has them, and what
storage types hold of them."""

import numpy as np

U = 2.0 ** -24


def to_storage(values, kind):
    """What an array file of this storage type holds, rounded to nearest even."""
    if kind == "f32":
        return values.astype(np.float32)
    if kind == "f16":
        return values.astype(np.float16)
    if kind == "i64":
        return values.astype(np.int64)
    if kind == "i32":
        return values.astype(np.int32)
    assert kind == "bf16", kind
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_storage(array, kind):
    if kind == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "e4m3":
        return E4M3[array]
    return array.astype(np.float64)


def e4m3(code):
    sign, exponent, rest = -1 if code & 128 else 1, code >> 3 & 15, code & 7
    if exponent == 15 and rest == 7:
        return np.nan
    return sign * (rest * 2.0 ** -9 if exponent == 0 else (8 + rest) * 2.0 ** (exponent - 10))


E4M3 = np.array([e4m3(code) for code in range(256)])


def alternating(n):
    return 1.0 - 2.0 * (np.arange(n) % 2)


def cancelling(n, rng):
    half = rng.normal(size=(n + 1) // 2) * 1000
    return rng.permutation(np.concatenate([half, -half * (1 + 2.0 ** -18)])[:n])


def absorbed(n, rest):
    """One element first, beside which each other one is just too small to count."""
    row = np.full(n, rest)
    row[0] = 1.0 if rest > 0 else 0.0
    return row


def opposed(n, rest):
    """Two great elements of opposite sign, beside whose squares no other one's counts. The
    mean of a thread's elements is 0, if it has runs of an even number."""
    row = rest * alternating(n)
    row[1], row[2] = 1 + 2.0 ** -7, -1 - 2.0 ** -7
    return row


def first_is_least(n, rng):
    row = rng.normal(size=n)
    row[0] = -100.0
    return row


def two_peaks(n, rng):
    row = np.full(n, -60.0)
    row[rng.integers(0, n, size=2)] = rng.uniform(-2, 0, size=2)
    return row


def stepping(n, rng):
    """One great element, and partial sums that fall anywhere between its neighbours."""
    row = rng.uniform(0, 4 * U, size=n)
    row[0] = 1.0
    return row


ADVERSARIAL = {
    "cancellation": cancelling,
    "huge offset": lambda n, rng: 12345.678 + rng.normal(size=n),
    "offset beyond the spread": lambda n, rng: 4096.0 + rng.integers(0, 4, size=n) / 64,
    "one dominant": stepping,
    "one dominant, rest absorbed": lambda n, rng: absorbed(n, U * (1 - 2.0 ** -6)),
    "one dominant of squares": lambda n, rng: absorbed(n, 2.0 ** -12 * (1 - 2.0 ** -7)),
    "one dominant of exponentials": lambda n, rng: absorbed(n, -16.66),
    "two of opposite signs": lambda n, rng: opposed(n, 2.0 ** -12 * (1 - 2.0 ** -7)),
    "two peaks": two_peaks,
    "the first is least": first_is_least,
    "two powers": lambda n, rng: np.where(np.arange(n) % (n // 2 + 1) == 3, 1 + 3 * 2.0 ** -12, 1.0),
    "alternating signs": lambda n, rng: alternating(n) * (1 + np.arange(n) * 2.0 ** -11),
    "denormals": lambda n, rng: rng.integers(-99, 100, size=n) * 2.0 ** -135,
    "all equal": lambda n, rng: np.full(n, 1 / 3),
    "every magnitude": lambda n, rng: rng.choice([-1, 1], size=n) * 2.0 ** rng.uniform(-14, 14, size=n),
    "far below the greatest": lambda n, rng: np.where(np.arange(n) == n // 3, 40.0, rng.uniform(-45, -30, size=n)),
}
RANDOM = {
    "normal": lambda n, rng: rng.normal(size=n),
    "uniform": lambda n, rng: rng.uniform(0, 1, size=n),
}
REAL = {
    "logits with outliers": lambda n, rng: np.where(
        rng.uniform(size=n) < 4 / n, 22.0, 0) + 3 * rng.normal(size=n),
    "heavy tails": lambda n, rng: rng.standard_t(3, size=n),
    "outlier channels": lambda n, rng: rng.normal(size=n) * np.where(np.arange(n) % 512 == 7, 60, 1),
}


def rows(columns, kind, seed=0, samples=1):
    """(names, rows): all of the above, as `kind` holds them."""
    rng = np.random.default_rng(seed)
    families = {**ADVERSARIAL, **RANDOM, **REAL}
    names = [name for name in families for _ in range(samples)]
    values = np.stack([families[name](columns, rng) for name in names])
    if kind == "f16":
        values = np.where(abs(values) < 2.0 ** -100, values * 2.0 ** 115, values)
        values = np.clip(values, -30000, 30000)
    return names, from_storage(to_storage(values, kind), kind)


OVER_ROWS = "sum over rows"


def is_adversarial(name):
    return name in ADVERSARIAL or name == OVER_ROWS
