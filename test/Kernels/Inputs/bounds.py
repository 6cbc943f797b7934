# test/Kernels/Inputs/bounds.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a number may be from float64's: what the bounds of all kernels are made of
(lib/Kernels/README.md, "Error bounds"). Rows are arrays of M x N, row scalars of M x 1,
columns operands of 1 x N. First order in u; `stored` allows for the rest."""

import math
import re

import numpy as np

U = 2.0 ** -24          # the unit roundoff of f32
TINY = 2.0 ** -149      # the least f32
FLUSH = 2.0 ** -126     # exponentials below are 0
RSQRT = 2.2 * U         # rsqrt.approx: 2^-22.9, and 3 % for what a bound of 1st order lacks
EX2 = 4 * U             # ex2.approx: 2^-22
TANH = 6 * U            # 3 ulp
DIVIDE = 2 * U          # by a row scalar: its reciprocal and a product, each rounded
SECOND_ORDER = 1 + 2.0 ** -9

# Unit roundoff, half the least subnormal and the greatest number of what is stored.
STORES = {"f32": (0.0, TINY, 3.4e38), "bf16": (2.0 ** -8, 2.0 ** -134, 3.38e38),
          "f16": (2.0 ** -11, 2.0 ** -25, 65504.0)}


class Tree:
    """Who meets whom in a reduction: what the plan's tree signature says."""

    def __init__(self, plan, columns):
        def field(name, otherwise):
            found = re.search(r"\b%s = (\d+)" % name, plan)
            return int(found.group(1)) if found else otherwise
        self.columns = columns
        threads = field("threads_per_row", 1)
        self.vector = field("vector", 1)
        self.lanes = min(threads, 32)
        self.warps = threads // self.lanes
        self.ctas = field("cluster", 1) * field("split", 1)
        self.runs = -(-columns // (self.ctas * threads * self.vector))
        self.rows = field("threads", threads) // threads * field("rows_per_thread", 1)
        self.partials = field("partials", 1)
        holds = re.search(r"hold = \{(.*?)\}", plan)
        self.reloaded = set(re.findall(r"(\w+) = reload", holds.group(1) if holds else ""))

    @property
    def serial(self):
        """Additions on the way of an element within its thread: a sum for each place of
        a vector, and then a tree over these."""
        return self.runs - 1 + levels(self.vector)

    @property
    def merges(self):
        """Levels from a thread to the row: lanes, warps, CTAs."""
        return levels(self.lanes) + levels(self.warps) + levels(self.ctas)

    @property
    def depth(self):
        # The tree over a vector's places may come before chunks merge.
        return min(self.serial + self.merges + bool(self.reloaded), self.columns - 1)

    def runs_of_chunk(self, names):
        """Runs that a thread reduces before it merges what it has, where the operands
        `names` are read for each reduction: 32 elements of all of them together."""
        read = len(self.reloaded & set(names))
        return max(1, 32 // (read * self.vector)) if read else self.runs

    def chunks(self, names):
        return -(-self.runs // self.runs_of_chunk(names))

    def depth_over_rows(self, rows):
        """Additions on the way of an element of one row into a sum over rows. Adding a
        partial of 0 costs nothing, so there are never more than rows."""
        tiles = -(-rows // self.rows)
        of_partial = -(-tiles // self.partials) + self.rows
        return min(rows, of_partial + min(self.partials, tiles))

    def by_thread(self, rows):
        """Rows as (M, CTA, warp, lane, element), padded by NaN."""
        width = self.ctas * self.warps * self.runs * self.lanes * self.vector
        padded = np.full((len(rows), width), np.nan)
        padded[:, :self.columns] = rows
        shape = (len(rows), self.ctas, self.warps, self.runs, self.lanes, self.vector)
        by_lane = padded.reshape(shape).transpose(0, 1, 2, 4, 3, 5)
        return by_lane.reshape(shape[:3] + (self.lanes, self.runs * self.vector))


def levels(count):
    return math.ceil(math.log2(count))


def add_up(row):
    """The sum over columns, far better than float64 needs to be here."""
    return np.sum(row, axis=-1, keepdims=True, dtype=np.longdouble).astype(np.float64)


def rounded(product):
    """The rounding of a product, which may be subnormal."""
    return U * abs(product) + np.where((product != 0) & (abs(product) < 2 * FLUSH), TINY, 0)


def total(terms, errors, tree):
    """A sum in f32 of terms that are `errors` off: d u sum |terms| more."""
    return add_up(terms), add_up(errors + 0 * terms) + tree.depth * U * add_up(abs(terms))


def stored(value, error, kind):
    """A result and its bound once it is stored as `kind`. In f32 the last operation's
    rounding, which `error` holds, is the store's."""
    unit, tiny, most = STORES[kind]
    error = np.where(error > 0, error * SECOND_ORDER + 8 * TINY, error)
    if unit:
        error = error + unit * (abs(value) + error) + tiny
    over = ~(abs(value) + error <= most)
    return value, np.where(over & np.isfinite(value), np.inf, error)


def exp_error(t):
    """The relative error of exp(t): ex2's own, and that of t log2(e), which is rounded (1)
    and made with a rounded constant (0.224 u off)."""
    return EX2 + 1.25 * U * abs(t)


def of_sum(a, b):
    """The rounding of a + b >= 0, which is never further off than either."""
    return np.minimum(U * (a + b), np.minimum(a, b))


def log_error(value):
    """The absolute error of a logarithm with this value: 2^-22 near 1, else 2^-21.4."""
    return np.maximum(4 * U, 6.1 * U * abs(value))


def inverse_root_error(relative):
    """The relative error of 1 / sqrt(v), by rsqrt, for a v with this one."""
    inside = np.where(relative < 1, relative, 0)
    return np.where(relative < 1, 1 / np.sqrt(1 - inside) - 1, np.inf) + RSQRT


class Normaliser:
    """max v, t = v - max v, exp(t) and its sum S, from partials (m, s) of threads: an
    element is rescaled by exp(m - M) on each of the tree's merges that finds a greater
    maximum, and the parts of t add up, as do their errors."""

    def __init__(self, v, error, tree):
        self.max = v.max(axis=-1, keepdims=True)
        self.t = v - self.max
        self.e = np.exp(self.t)
        self.sum = add_up(self.e)
        self.log = np.log(self.sum)
        self.p = self.e / self.sum
        rounded = self.t != 0
        # t is rounded; the product and the constant in exp's argument; ex2.
        own = np.where(rounded, exp_error(self.t) + U * abs(self.t), 0)
        self.e_error = own + error
        chunks = tree.chunks(["x", "mask", "weight"])
        rescaled = np.where(rounded, (tree.merges + chunks - 1) * (EX2 + U), 0)
        self.sum_error = add_up(self.p * (own + rescaled + error)) + tree.depth * U
        self.log_error = self.sum_error + log_error(self.log)
        self.t_error = U * abs(self.t) + error
        self.lse = self.max + self.log
        self.lse_error = self.log_error + U * abs(self.lse)
        self.p_error = self.p * (self.e_error + self.sum_error + DIVIDE) + np.where(
            self.e < 2 * FLUSH, FLUSH, 0)


class Moments:
    """The mean and the sum of squared deviations, merged as in Chan, Golub and LeVeque:
    what each thread and each merge adds, from the row's own partials."""

    def __init__(self, x, error, tree):
        self.mean = add_up(x) / tree.columns
        deviation = x - self.mean
        self.squares = add_up(deviation ** 2)
        runs = tree.runs_of_chunk(["x", "residual"])
        chunks = self.in_chunks(tree.by_thread(x), runs * tree.vector)
        parts = [self.of_threads(chunk, runs - 1 + levels(tree.vector)) for chunk in chunks]
        at = parts[0]
        for part in parts[1:]:
            at = self.merged(at, part)
        for axis in (3, 2, 1):
            while at["n"].shape[axis] > 1:
                at = self.merged(*self.halves(at, axis))
        def flat(name):
            return at[name].reshape(-1, 1)
        error = error + 0 * x
        # Of mean + low; the mean itself is rounded besides.
        self.centre_error = flat("e") + add_up(error) / tree.columns
        self.mean_error = self.centre_error + U * abs(self.mean)
        self.squares_error = flat("eq") + add_up(2 * abs(deviation) * error + error ** 2)

    @staticmethod
    def in_chunks(x, size):
        return [x[..., begin:begin + size] for begin in range(0, x.shape[-1], size)]

    @staticmethod
    def of_threads(x, serial):
        """(first, mean of differences from it, squares, count) and the errors of the mean
        and of the squares. A thread deviates from first + mean, rounded, and takes off
        what that rounding has added: n o^2, which is known to eta."""
        exists = ~np.isnan(x)
        n = exists.sum(axis=-1)
        count = np.maximum(n, 1)
        first = np.where(n > 0, x[..., 0], 0)
        difference = np.where(exists, x - first[..., None], 0)
        mean = difference.sum(axis=-1) / count
        e = (serial + 1) * U * abs(difference).sum(axis=-1) / count + U * abs(mean)
        e = np.where(n > 1, e, 0)
        o = np.where(n > 1, U * abs(first + mean) + e, 0)
        eta = e + np.where(n > 1, U * abs(mean), 0)
        q = (np.where(exists, difference - mean[..., None], 0) ** 2).sum(axis=-1)
        eq = ((serial + 4) * U * (q + n * o * o) + 3 * U * n * o * o
              + n * eta * (2 * o + eta))
        return {"f": first, "m": mean, "q": q, "n": n, "e": e, "eq": eq}

    @staticmethod
    def halves(at, axis):
        size = next(iter(at.values())).shape[axis]
        half = 1 << (levels(size) - 1)
        low = {name: np.take(a, range(half), axis) for name, a in at.items()}
        high = {}
        for name, a in at.items():
            widths = [(0, 2 * half - size if i == axis else 0) for i in range(a.ndim)]
            high[name] = np.take(np.pad(a, widths), range(half, 2 * half), axis)
        return low, high

    @staticmethod
    def merged(a, b):
        n = a["n"] + b["n"]
        count = np.maximum(n, 1)
        first = np.where(a["n"] == 0, b["f"], np.where(
            b["n"] == 0, a["f"], np.maximum(a["f"], b["f"])))
        moved, e = [], []
        for side in (a, b):
            by = side["f"] - first
            m = np.where(side["n"] > 0, side["m"] + by, 0)
            moved.append(m)
            # Two roundings unless the side keeps its first element.
            e.append(side["e"] + np.where(by != 0, U * (abs(by) + abs(m)), 0))
        shares = [a["n"] / count, b["n"] / count]
        mean = shares[0] * moved[0] + shares[1] * moved[1]
        mean_error = sum(s * (own + 4 * U * abs(m)) for s, own, m in zip(shares, e, moved))
        distance = moved[0] - moved[1]
        between = distance ** 2 * a["n"] * b["n"] / count
        weight, both = a["n"] * b["n"] / count, e[0] + e[1]
        squares = a["q"] + b["q"] + between
        error = (a["eq"] + b["eq"] + of_sum(a["q"], b["q"])
                 + of_sum(a["q"] + b["q"], between) + 6 * U * between
                 + weight * both * (2 * abs(distance) + both))
        return {"f": first, "m": mean, "q": squares, "n": n, "e": mean_error, "eq": error}
