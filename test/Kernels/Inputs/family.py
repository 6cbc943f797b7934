# test/Kernels/Inputs/family.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the library's kernels in the simulator and compares with references.py. Bounds are
those of the arithmetic: f32 with a few roundings an element, of numbers near 1."""

import itertools
import random

import references as ref
from regression import *

KERNELS = kernels()
SEEN = set()


def numbers(rows, columns, seed, low=-4.0, high=4.0):
    """Rows of multiples of 1/64, which f32, bf16 (mostly) and Python hold alike."""
    generator = random.Random(seed)
    return [[round(generator.uniform(low, high) * 64) / 64 for _ in range(columns)]
            for _ in range(rows)]


def column_of(kernel, columns):
    return numbers(1, columns, kernel)[0]


def runs(kernel, inputs, outputs, optional=(), columns=0, scalars=(), pin=""):
    SEEN.add(kernel)
    storage = ",".join("%s:%s" % (name, kind) for name, kind in optional)
    options = ["--columns=%d" % columns]
    options += ["--storage=" + storage] if storage else []
    options += ["--pin=" + pin] if pin else []
    for name, value in scalars:
        options += ["--scalar", "%s=%r" % (name, value)]
    found = run(KERNELS[kernel], inputs, list(outputs), *options)
    return dict(zip(outputs, [found] if len(outputs) == 1 else found))


def check(kernel, reference, rows, outputs, per_row=(), shared=None, optional=(), scalars=(),
          pin="", relative=2e-5, absolute=2e-6, ints=()):
    """`rows`: rows by operand name; `per_row`: numbers, one a row; `shared`: columns
    operands; `optional`: (name, storage) of what is there besides."""
    shared, per_row = shared or {}, dict(per_row)
    columns = len(next(iter(rows.values()))[0])
    count = len(next(iter(rows.values())))
    inputs = {**rows, **shared,
              **{name: (values, "i64" if name in ints else "f32")
                 for name, values in per_row.items()}}
    found = runs(kernel, inputs, outputs, optional, columns, scalars, pin)
    for index in range(count):
        expected = reference(**{name: values[index] for name, values in rows.items()},
                             **{name: values[index] for name, values in per_row.items()},
                             **shared, **dict(scalars))
        if not isinstance(expected, dict):
            expected = {outputs[0]: expected}
        for name in outputs:
            close(found[name][index], expected[name], relative, absolute)


def subsets(items):
    return itertools.chain.from_iterable(
        itertools.combinations(items, count) for count in range(len(items) + 1))


PINS = ["", "threads = 64, threads_per_row = 64"]


def softmax_family():
    for columns, pin in [(1, ""), (7, ""), (300, ""), (300, PINS[1])]:
        x, mask = numbers(3, columns, 1), numbers(3, columns, 2)
        if columns > 1:
            mask[1][columns // 2] = -INF
            x[2] = [-INF] * columns
        for kernel, out in [("softmax", "y"), ("log_softmax", "y"), ("logsumexp", "lse")]:
            reference = getattr(ref, kernel)
            check(kernel, reference, {"x": x}, [out], pin=pin)
            check(kernel, reference, {"x": x, "mask": mask}, [out], pin=pin,
                  optional=[("mask", "f32"), ("scale", "f32")], scalars=[("scale", 0.125)])
        dy = numbers(3, columns, 3)
        y = [ref.softmax(row) for row in numbers(3, columns, 4)]
        check("softmax_backward", ref.softmax_backward, {"y": y, "dy": dy}, ["dx"], pin=pin)
        check("softmax_backward", ref.softmax_backward, {"y": y, "dy": dy}, ["dx"], pin=pin,
              optional=[("scale", "f32")], scalars=[("scale", 0.5)])
        logs = [ref.log_softmax(row) for row in numbers(3, columns, 4)]
        check("log_softmax_backward", ref.log_softmax_backward, {"y": logs, "dy": dy}, ["dx"],
              pin=pin, absolute=1e-5)
        given = numbers(3, columns, 5)
        check("logsumexp_backward", ref.logsumexp_backward, {"x": given}, ["dx"], pin=pin,
              per_row={"lse": [ref.logsumexp(row) for row in given], "dlse": [1.0, -2.0, 0.5]})


def norms():
    for columns in (1, 5, 129, 320):
        x, r = numbers(4, columns, 1), numbers(4, columns, 2)
        x[2], r[2] = [0.0] * columns, [0.0] * columns
        shared = {"weight": numbers(1, columns, 3)[0], "bias": numbers(1, columns, 4)[0]}
        for there in subsets(["residual", "weight", "bias", "offset"]):
            rows = {"x": x, **({"residual": r} if "residual" in there else {})}
            kept = {name: shared[name] for name in there if name in shared}
            offset = [("offset", 1.0)] if "offset" in there else []
            outs = ["residual_out", "rstd"]
            for outputs in [["y"], ["y"] + outs]:
                check("rms_norm", ref.rms_norm, rows, outputs, shared=kept,
                      optional=[(name, "f32") for name in list(there) + outputs[1:]],
                      scalars=[("eps", 1e-5)] + offset)
            if offset:
                continue
            for outputs in [["y"], ["y", "residual_out", "mean", "rstd"]]:
                check("layer_norm", ref.layer_norm, rows, outputs, shared=kept,
                      optional=[(name, "f32") for name in list(there) + outputs[1:]],
                      scalars=[("eps", 1e-5)], absolute=1e-5, relative=1e-4)
    check("l2_normalize", ref.l2_normalize, {"x": numbers(3, 100, 9)}, ["y"],
          scalars=[("eps", 1e-12)])


def cross_entropy():
    for columns in (2, 9, 130, 300):
        x = numbers(5, columns, 1)
        targets = [0, columns - 1, -100, columns // 2, 1]
        shared = {"weight": [abs(w) for w in numbers(1, columns, 2)[0]]}
        options = {"smoothing": 0.1, "z_loss": 0.01, "cap": 3.0}
        for there in subsets(["weight", "smoothing", "z_loss", "cap"]):
            kept = {name: shared[name] for name in there if name in shared}
            scalars = [(name, options[name]) for name in there if name in options]
            present = [(name, "f32") for name in there]
            check("cross_entropy", ref.cross_entropy, {"x": x}, ["loss", "lse"],
                  per_row={"target": targets}, shared=kept, ints=["target"], scalars=scalars,
                  optional=present + [("lse", "f32")], absolute=1e-5)

            def slope(x, target, dloss, **given):
                def loss(row):
                    return ref.cross_entropy(row, target, **given)["loss"]
                return {"dx": [dloss * d for d in ref.gradient(loss, x)], "loss": loss(x)}
            if columns < 100:
                check("cross_entropy_backward", slope, {"x": x}, ["dx", "loss"],
                      per_row={"target": targets, "dloss": [1.0, 2.0, 3.0, -1.0, 0.25]},
                      shared=kept, ints=["target"], scalars=scalars,
                      optional=present + [("dloss", "f32"), ("loss", "f32")],
                      relative=1e-4, absolute=1e-5)
    # A target that is no column, and another index that is ignored.
    x = numbers(3, 40, 1)
    check("cross_entropy", ref.cross_entropy, {"x": x}, ["loss"],
          per_row={"target": [40, -1, 7]}, ints=["target"], optional=[("ignore_index", "i64")],
          scalars=[("ignore_index", 7)])
    found = runs("cross_entropy_backward", {"x": x, "target": ([40, -1, -100], "i64")}, ["dx"],
                 columns=40)["dx"]
    assert all(math.isnan(d) for row in found[:2] for d in row) and found[2] == [0.0] * 40


def divergences():
    for columns in (3, 140):
        x = [ref.log_softmax(row) for row in numbers(3, columns, 1)]
        t = [ref.log_softmax(row) for row in numbers(3, columns, 2)]
        p = [ref.softmax(row) for row in numbers(3, columns, 2)]
        p[1] = [1.0] + [0.0] * (columns - 1)
        dloss = [1.0, -2.0, 0.5]
        logs = {"optional": [("log_target", "i32")], "scalars": [("log_target", 1)]}
        check("kl_div", ref.kl_div, {"x": x, "t": p}, ["loss"], absolute=1e-5)
        check("kl_div", ref.kl_div, {"x": x, "t": t}, ["loss"], absolute=1e-5, **logs)

        def slope(function):
            def of(t, dloss, **given):
                row = t if "x" not in given else given.pop("x")
                return [dloss * d for d in ref.gradient(lambda v: function(v, t, **given), row)]
            return of
        check("kl_div_backward", slope(ref.kl_div), {"t": p}, ["dx"], per_row={"dloss": dloss},
              relative=1e-4, absolute=1e-5)
        check("kl_div_backward", slope(ref.kl_div), {"t": t}, ["dx"], per_row={"dloss": dloss},
              relative=1e-4, absolute=1e-5, **logs)
        for beta in ([], [("beta", 0.25)]):
            present = {"optional": [(name, "f32") for name, _ in beta], "scalars": beta}
            check("jsd", ref.jsd, {"x": x, "t": t}, ["loss"], absolute=1e-5, **present)
            check("jsd_backward", slope(ref.jsd), {"x": x, "t": t}, ["dx"],
                  per_row={"dloss": dloss}, relative=1e-4, absolute=1e-5, **present)


def norm_gradients():
    """dx against finite differences of sum(dy * y), dw and db of the definition."""
    for columns in (1, 9, 70):
        x, dy = numbers(5, columns, 1), numbers(5, columns, 2)
        w = column_of("w", columns)
        for kernel, eps in (("rms_norm", 1e-5), ("layer_norm", 1e-5)):
            forward = getattr(ref, kernel)
            found = [forward(row, weight=w, eps=eps) for row in x]
            given = {"x": x, "dy": dy, "w": w}
            names = ["rstd"] if kernel == "rms_norm" else ["mean", "rstd"]
            for name in names:
                given[name] = [f[name] for f in found]
            outputs = ["dx", "dw"] + (["db"] if kernel == "layer_norm" else [])
            got = runs(kernel + "_backward", given, outputs, columns=columns)
            dw, db = [0.0] * columns, [0.0] * columns
            for row, g, have in zip(x, dy, got["dx"]):
                def weighted(v):
                    return math.fsum(a * b for a, b in zip(forward(v, weight=w, eps=eps)["y"], g))
                if columns < 20:
                    close(have, ref.gradient(weighted, row), 1e-3, 2e-3)
                mean = ref.moments(row)[0] if kernel == "layer_norm" else 0.0
                rstd = forward(row, eps=eps)["rstd"]
                dw = [s + b * (a - mean) * rstd for s, a, b in zip(dw, row, g)]
                db = [s + b for s, b in zip(db, g)]
            close(got["dw"], dw, 1e-4, 1e-4)
            if "db" in outputs:
                close(got["db"], db, 1e-5, 1e-5)


def from_f8(code):
    """The value of a code of f8E4M3FN."""
    sign, exponent, rest = -1 if code & 128 else 1, code >> 3 & 15, code & 7
    if exponent == 15 and rest == 7:
        return NAN
    return sign * (rest * 2.0 ** -9 if exponent == 0 else (8 + rest) * 2.0 ** (exponent - 10))


def is_rounding(code, wanted):
    """Whether no other finite code is nearer, but for f32's rounding of the quotient."""
    value = from_f8(code)
    slack = 1e-6 * abs(wanted) + 1e-9
    return all(abs(value - wanted) <= abs(from_f8(other) - wanted) + slack
               for other in range(256) if not math.isnan(from_f8(other)))


def quantisation():
    for columns in (1, 9, 128, 300):
        x, w = numbers(3, columns, 1), column_of("w", columns)
        x[1] = [0.0] * columns
        normed = [ref.rms_norm(row, weight=w, eps=1e-5)["y"] for row in x]
        for kernel, rows, more in [("quantize_fp8", x, {}), ("quantize_fp8_pow2", x, {}),
                                   ("rms_norm_quantize_fp8", normed, {"w": w}),
                                   ("quantize_fp8_groups", x, {}),
                                   ("rms_norm_quantize_fp8_groups", normed, {"w": w})]:
            scalars = [("eps", 1e-5)] if more else []
            got = runs(kernel, {"x": x, **more}, ["y", "scale"], columns=columns, scalars=scalars)
            for row, codes, scale in zip(rows, got["y"], got["scale"]):
                size = 128 if kernel.endswith("groups") else columns
                scales = scale if isinstance(scale, list) else [scale]
                for index, s in enumerate(scales):
                    part = slice(index * size, (index + 1) * size)
                    amax = max(abs(v) for v in row[part])
                    expected = max(amax / 448, 2.0 ** -126)
                    if kernel.endswith("pow2"):
                        expected = 2.0 ** math.ceil(math.log2(expected))
                    close(s, expected, 1e-5, 0)
                    # The codes of what was normalised are judged by the values alone.
                    for code, value in zip(codes[part], row[part]):
                        if more:
                            assert abs(from_f8(code) * s - value) <= 0.0626 * abs(value) + 2e-3 * s
                        else:
                            assert is_rounding(code, value / s), (kernel, code, value, s)
        got = runs("quantize_fp8_static", {"x": x}, ["y"], columns=columns, scalars=[("scale", 0.25)])
        assert all(is_rounding(c, v / 0.25) for r, q in zip(x, got["y"]) for v, c in zip(r, q))
        got = runs("quantize_int8", {"x": x}, ["y", "scale"], columns=columns)
        for row, codes, scale in zip(x, got["y"], got["scale"]):
            close(scale, max(max(abs(v) for v in row) / 127, 2.0 ** -126), 1e-6, 0)
            assert all(abs(code) <= 127 and abs(code - v / scale) <= 0.5001
                       for code, v in zip(codes, row))


def statistics():
    for columns in (1, 6, 257):
        x = numbers(4, columns, 1, -1.5, 1.5)
        x[1] = [0.0] * columns
        x[2] = [1.0] * columns
        x[3][columns // 2] = NAN
        for kernel, reference in ref.STATISTICS.items():
            outputs = {"sum": "s", "mean": "m", "max": "m"}.get(kernel, "y")
            check(kernel, reference, {"x": x}, [outputs], absolute=1e-5)
        for kernel in ("argmax", "argmin"):
            check(kernel, getattr(ref, kernel), {"x": x}, ["column", "value"],
                  optional=[("value", "f32")])
        check("var", ref.var, {"x": x}, ["y", "mean"], optional=[("mean", "f32")], absolute=1e-5)
        check("var", ref.var, {"x": x}, ["y"], optional=[("correction", "f32")],
              scalars=[("correction", 0.0)], absolute=1e-5)


PARTS = [softmax_family, norms, norm_gradients, cross_entropy, divergences, quantisation,
         statistics]
for part in PARTS:
    part()
missing = set(KERNELS) - SEEN
assert not missing, "kernels without a test here: %s" % sorted(missing)
