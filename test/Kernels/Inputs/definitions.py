# test/Kernels/Inputs/definitions.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of formulas.py against references.py, which is written apart from it, and
the gradients against finite differences of the references, in float64."""

import math

import numpy as np

import references as ref
from bounds import Tree
from formulas import FORMULAS

N, ROWS = 11, 4
TREE = Tree("", N)
RNG = np.random.default_rng(5)
SEEN = set()


def rows(scale=1.0):
    return RNG.normal(size=(ROWS, N)) * scale


def numbers():
    return RNG.normal(size=(ROWS, 1))


def logs(x):
    return np.array([ref.log_softmax(list(row)) for row in x])


def call(kernel, given):
    SEEN.add(kernel)
    return {name: np.asarray(value) for name, (value, _) in FORMULAS[kernel](TREE, **given).items()}


def row_of(given, index):
    """What references take: one row of each operand."""
    def one(value):
        if not isinstance(value, np.ndarray):
            return value
        row = value[index if len(value) > 1 else 0]
        return list(row) if len(row) > 1 else float(row[0])
    found = {name: one(value) for name, value in given.items()}
    if "target" in found:
        found["target"] = int(found["target"])
    return found


def close(got, expected, tolerance):
    got, expected = np.ravel(got), np.ravel(expected)
    assert np.all(abs(got - expected) <= tolerance * (1 + abs(expected))), (got, expected)


def like(kernel, reference, tolerance=1e-12, **given):
    found = call(kernel, given)
    for index in range(ROWS):
        expected = reference(**row_of(given, index))
        if not isinstance(expected, dict):
            expected = {next(iter(found)): expected}
        # What is summed over rows has a check of its own.
        for name in set(found) & set(expected):
            close(found[name][index], expected[name], tolerance)


def slope(kernel, loss, of="x", **given):
    """dx against the differences of loss(row, rest), times the row's upstream gradient."""
    found = call(kernel, given)["dx"]
    for index in range(ROWS):
        rest = row_of(given, index)
        at = rest.pop(of)
        upstream = rest.pop("dloss", 1.0)
        close(found[index], [upstream * d for d in ref.gradient(lambda v: loss(v, rest), at)], 1e-7)


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def softmax_family():
    for more in ({}, {"mask": rows(), "scale": 0.3}):
        for kernel in ("softmax", "log_softmax", "logsumexp"):
            like(kernel, getattr(ref, kernel), x=rows(3), **more)
    x, dy, scale = rows(), rows(), 0.3
    for kernel, forward in (("softmax_backward", ref.softmax),
                            ("log_softmax_backward", ref.log_softmax)):
        y = np.array([forward(list(row), scale=scale) for row in x])
        dx = call(kernel, {"y": y, "dy": dy, "scale": scale})["dx"]
        for index in range(ROWS):
            close(dx[index], ref.gradient(
                lambda v: dot(forward(v, scale=scale), dy[index]), list(x[index])), 1e-7)
    lse = np.array([[ref.logsumexp(list(row), scale=scale)] for row in x])
    slope("logsumexp_backward",
          lambda v, rest: rest["dlse"] * ref.logsumexp(v, scale=scale),
          x=x, lse=lse, dlse=numbers(), scale=scale)


def norms():
    columns = {"weight": RNG.normal(size=(1, N)), "bias": RNG.normal(size=(1, N))}
    for more in ({}, {"residual": rows(), **columns}):
        like("rms_norm", ref.rms_norm, x=rows(), eps=1e-5, **more)
        like("layer_norm", ref.layer_norm, x=rows(), eps=1e-5, **more)
    like("rms_norm", ref.rms_norm, x=rows(), eps=1e-5, offset=1.0, **columns)
    like("l2_normalize", ref.l2_normalize, x=rows(), eps=1e-12)
    for kernel, names in (("rms_norm", ["rstd"]), ("layer_norm", ["mean", "rstd"])):
        forward = getattr(ref, kernel)
        x, dy, w = rows(), rows(), RNG.normal(size=(1, N))
        saved = [forward(list(row), eps=1e-5) for row in x]
        given = {name: np.array([[s[name]] for s in saved]) for name in names}
        found = call(kernel + "_backward", {"x": x, "w": w, "dy": dy, **given})

        def loss(v, weight, bias, index):
            y = forward(v, weight=weight, bias=bias, eps=1e-5)["y"]
            return dot(y, dy[index])
        zero, one = [0.0] * N, list(w[0])
        for index in range(ROWS):
            close(found["dx"][index], ref.gradient(
                lambda v: loss(v, one, zero, index), list(x[index])), 1e-7)
        for name, moved in (("dw", lambda v, i: loss(list(x[i]), v, zero, i)),
                            ("db", lambda v, i: loss(list(x[i]), one, v, i))):
            start = one if name == "dw" else zero
            close(found[name], ref.gradient(
                lambda v: math.fsum(moved(v, i) for i in range(ROWS)), start), 1e-7)
        through, offset = rows(), {"offset": 1.0} if kernel == "rms_norm" else {}
        more = call(kernel + "_backward",
                    {"x": x, "w": w, "dy": dy, "dresidual_out": through, **given, **offset})
        more = more["dresidual"] - through
        one = [a + offset.get("offset", 0.0) for a in one]
        for index in range(ROWS):
            close(more[index], ref.gradient(
                lambda v: loss(v, one, zero, index), list(x[index])), 1e-7)


def losses():
    target = np.array([[0.0], [3.0], [10.0], [5.0]])
    weight = abs(RNG.normal(size=(1, N)))
    options = {"weight": weight, "smoothing": 0.1, "z_loss": 0.01, "cap": 3.0}
    for names in ([], ["weight"], ["smoothing"], ["z_loss"], ["cap"], list(options)):
        more = {name: options[name] for name in names}
        like("cross_entropy", ref.cross_entropy, x=rows(3), target=target, **more)
        slope("cross_entropy_backward", lambda v, rest: ref.cross_entropy(v, **rest)["loss"],
              x=rows(3), target=target, dloss=numbers(), **more)
    found = call("cross_entropy", {"x": rows(3), "target": target, "weight": weight, "divisor": 7.0})
    at = [int(t) for t in target[:, 0]]
    close(found["total"], math.fsum(found["loss"][:, 0]) / 7.0, 1e-12)
    close(found["weight_sum"], ref.divisor(at, list(weight[0])), 1e-12)
    given = {"target": target, "weight": np.tile(weight, (ROWS, 1))}
    close(call("target_weights", given)["divisor"], found["weight_sum"], 1e-12)
    close(call("target_count", {"target": np.array([[3.0, -100.0], [-100.0, 0.0]])})["divisor"],
          ref.divisor([3, -100, -100, 0]), 0)
    x, t = logs(rows()), logs(rows())
    like("kl_div", ref.kl_div, x=x, t=np.exp(t))
    like("kl_div", ref.kl_div, x=x, t=t, log_target=1)
    for given in ({"t": np.exp(t)}, {"t": t, "log_target": 1}):
        found = call("kl_div_backward", {**given, "dloss": np.ones((ROWS, 1))})["dx"]
        for index in range(ROWS):
            rest = row_of(given, index)
            close(found[index], ref.gradient(lambda v: ref.kl_div(v, **rest), list(x[index])), 1e-7)
    for more in ({}, {"beta": 0.2}):
        like("jsd", ref.jsd, x=x, t=t, **more)
        slope("jsd_backward", lambda v, rest: ref.jsd(v, **rest), x=x, t=t, dloss=numbers(), **more)



def statistics():
    for kernel, reference in ref.STATISTICS.items():
        like(kernel, reference, x=rows())
    for kernel in ("argmax", "argmin", "var"):
        like(kernel, getattr(ref, kernel), x=rows())
    like("var", ref.var, x=rows(), correction=0.0)


for part in (softmax_family, norms, losses, statistics):
    part()
missing = {name for name in FORMULAS if "quantize" not in name} - SEEN
assert not missing, "formulas without a check here: %s" % sorted(missing)
