# test/Kernels/Inputs/family.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the library's kernels in the simulator and compares with references.py. Bounds are
those of the arithmetic: f32 with a few roundings an element, of numbers near 1."""

import bisect
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


def runs(kernel, inputs, outputs, optional=(), columns=0, scalars=(), pin="", groups=0):
    SEEN.add(kernel)
    storage = ",".join("%s:%s" % (name, kind) for name, kind in optional)
    options = ["--columns=%d" % columns]
    options += ["--storage=" + storage] if storage else []
    options += ["--pin=" + pin] if pin else []
    options += ["--groups=%d" % groups] if groups else []
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


def cross_entropy_totals():
    """Sums and means over rows, with their gradients."""
    targets = [0, 8, -100, 4, 1]
    for columns in (9, 130):
        x = numbers(5, columns, 1)
        weight = [abs(w) for w in numbers(1, columns, 2)[0]]
        for there in subsets(["weight", "smoothing", "z_loss"]):
            given = {"x": x, "target": (targets, "i64")}
            options = {"smoothing": 0.1, "z_loss": 0.01}
            scalars = {name: options[name] for name in there if name in options}
            shared = {"weight": weight} if "weight" in there else {}
            losses = [ref.cross_entropy(row, t, **shared, **scalars)["loss"]
                      for row, t in zip(x, targets)]
            divisor = ref.divisor(targets, **shared)
            counted = runs("target_count", {"target": ([[t] for t in targets], "i64")}, ["divisor"],
                           columns=1)["divisor"]
            if shared:
                SEEN.add("target_weights")
                counted = [run(KERNELS["target_weights"], {"target": (targets, "i64"),
                               "weight": [weight] * 5}, ["divisor"], "--columns=%d" % columns)[0]]
            close(counted, [divisor])
            present = [(name, "f32") for name in there]
            optional = present + [("total", "f32"), ("weight_sum", "f32")]
            got = runs("cross_entropy", {**given, **shared}, ["loss", "total", "weight_sum"],
                       optional, columns, scalars.items())
            close(got["loss"], losses, 2e-5, 1e-5)
            close(got["total"], [math.fsum(losses)], 2e-5, 1e-5)
            close(got["weight_sum"], [divisor])
            mean = {**given, **shared, "divisor": counted, "dloss": [3.0] * 5}
            parts = present + [("divisor", "f32"), ("total", "f32")]
            again = runs("cross_entropy", {**given, **shared, "divisor": counted}, ["loss", "total"],
                         parts, columns, scalars.items())
            assert again["loss"] == got["loss"]
            got = runs("cross_entropy_backward", mean, ["dx", "loss", "total"],
                       parts + [("dloss", "f32"), ("loss", "f32")], columns, scalars.items())
            for total in (again["total"], got["total"]):
                close(total, [math.fsum(losses) / divisor], 2e-5, 1e-5)
            for row, t, have in zip(x, targets, got["dx"][:5 if columns < 20 else 0]):
                def loss(v):
                    return ref.cross_entropy(v, t, **shared, **scalars)["loss"] / divisor
                close(have, [3.0 * d for d in ref.gradient(loss, row)], 1e-4, 1e-5)
    # All targets ignored: no mean, and no gradient. Another index that is ignored.
    given = {"x": x, "target": ([7] * 5, "i64"), "divisor": [0.0]}
    ignored = {"optional": [("ignore_index", "i64"), ("divisor", "f32"), ("total", "f32")],
               "columns": columns, "scalars": [("ignore_index", 7)]}
    assert math.isnan(runs("cross_entropy", given, ["total"], **ignored)["total"][0])
    got = runs("cross_entropy_backward", given, ["dx", "total"], **ignored)
    assert math.isnan(got["total"][0]) and got["dx"] == [[0.0] * columns] * 5
    for shape in (1, 3, 140):
        rows = [[(5 * r + c) % 4 - 1 for c in range(shape)] for r in range(7)]
        got = runs("target_count", {"target": (rows, "i64")}, ["divisor"], [("ignore_index", "i64")],
                   shape, [("ignore_index", 2)])["divisor"]
        assert got == [sum(t != 2 for row in rows for t in row)]


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
    """dx against its definition, and finite differences of sum(dy * y); dw and db are sums of
    the definition. Outputs that are not asked for change no bits of dx."""
    for columns, kernel in itertools.product((1, 9, 70), ("rms_norm", "layer_norm")):
        forward, backward = getattr(ref, kernel), getattr(ref, kernel + "_backward")
        names = ["rstd"] if kernel == "rms_norm" else ["mean", "rstd"]
        x = numbers(5, columns, 1)
        rows = {"x": x, "dy": numbers(5, columns, 2), "dresidual_out": numbers(5, columns, 3)}
        w = column_of("w", columns)
        for there in subsets(["w", "dresidual_out"] + ["offset"][:kernel == "rms_norm"]):
            given = {name: rows[name] for name in rows if name in ("x", "dy") or name in there}
            scalars = {"offset": 1.0} if "offset" in there else {}
            shared = {"w": w} if "w" in there else {}
            norm = dict(scalars, eps=1e-5, weight=shared.get("w"))
            found = [forward(row, **norm) for row in x]
            given.update({name: [row[name] for row in found] for name in names})
            expected = [backward(**{name: values[row] for name, values in given.items()},
                                 **shared, **scalars) for row in range(5)]
            alone = None
            for outputs in [["dx"], ["dx", "dw"], ["dx", "dresidual", "dw", "db"]]:
                got = runs(kernel + "_backward", {**given, **shared}, outputs, columns=columns,
                           optional=[(name, "f32") for name in list(there) + outputs[1:]],
                           scalars=scalars.items())
                alone = alone or got["dx"]
                assert got["dx"] == alone and got.get("dresidual", alone) == alone
                for name in set(outputs) & {"dw", "db"}:
                    close(got[name], [math.fsum(column) for column in
                                      zip(*(row[name] for row in expected))], 1e-4, 1e-4)
            for row in range(5):
                close(alone[row], expected[row]["dx"], 1e-3, 2e-3 if columns == 1 else 1e-4)
                if columns == 9:
                    def weighted(v):
                        return math.fsum(a * b for a, b in zip(forward(v, **norm)["y"], rows["dy"][row]))
                    through = rows["dresidual_out"][row] if "dresidual_out" in there else [0.0] * 9
                    close([a - b for a, b in zip(alone[row], through)],
                          ref.gradient(weighted, x[row]), 1e-3, 2e-3)
        # Each of the residual's gradients in its own type.
        got = runs(kernel + "_backward", {**given, **shared},
                   ["dx", "dresidual"], columns=columns, scalars=scalars.items(),
                   optional=[(name, "f32") for name in there] + [("dresidual", "bf16")])
        assert got["dresidual"] == [[from_bf16(to_bf16(v)) for v in row] for row in alone]


def from_bytes(code, kind="f8E4M3FN"):
    """The value of a code of 8 bits."""
    if kind == "i8":
        return float(code)
    mantissa, least, inf = (3, -6, None) if kind == "f8E4M3FN" else (2, -14, 124)
    sign, size = -1 if code & 128 else 1, code & 127
    if size == 127 or (inf and size > inf):
        return NAN
    if size == inf:
        return sign * INF
    exponent, rest = size >> mantissa, size & (1 << mantissa) - 1
    whole = rest if exponent == 0 else rest + (1 << mantissa)
    return sign * whole * 2.0 ** (max(exponent, 1) - 1 + least - mantissa)


MOST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "i8": 127.0}
VALUES = {kind: sorted({from_bytes(code, kind) for code in
                        (range(-127, 128) if kind == "i8" else range(256))
                        if math.isfinite(from_bytes(code, kind))}) for kind in MOST}


def is_rounding(code, wanted, kind, slack=1e-6):
    """Whether no other value is nearer, but for f32's rounding of the quotient."""
    value = from_bytes(code, kind)
    above = bisect.bisect_left(VALUES[kind], wanted)
    nearest = min(abs(v - wanted) for v in VALUES[kind][max(0, above - 1):above + 1])
    return abs(value - wanted) <= nearest + slack * abs(wanted) + 1e-9


def quantised(kernel, rows, size, kind, got, slack=1e-6):
    """Checks codes and scales of the numbers that were to be quantised."""
    for row, codes, scale in zip(rows, got["y"], got["scale"]):
        scales = scale if isinstance(scale, list) else [scale]
        assert len(scales) == -(-len(row) // size)
        for index, s in enumerate(scales):
            part = slice(index * size, (index + 1) * size)
            expected = max(max(abs(v) for v in row[part]) / MOST[kind], 2.0 ** -126)
            if kernel.endswith("pow2"):
                expected = 2.0 ** math.ceil(math.log2(expected))
            close(s, expected, 1e-5, 0)
            for code, value in zip(codes[part], row[part]):
                assert is_rounding(code, value / s, kind, slack), (kernel, code, value, s)


def quantisation():
    for columns in (1, 9, 128, 300):
        x = numbers(3, columns, 1)
        x[1] = [0.0] * columns
        for kernel, kind in itertools.product(
                ("quantize_fp8", "quantize_fp8_pow2", "quantize_fp8_groups",
                 "quantize_fp8_groups_pow2"), MOST):
            for size in (32, 64, 128) if "groups" in kernel else (0,):
                got = runs(kernel, {"x": x}, ["y", "scale"], [("y", kind)], columns, groups=size)
                quantised(kernel, x, size or columns, kind, got)
        got = runs("quantize_fp8_static", {"x": x}, ["y"], columns=columns, scalars=[("scale", 0.25)])
        assert all(is_rounding(c, v / 0.25, "f8E4M3FN")
                   for r, q in zip(x, got["y"]) for v, c in zip(r, q))
        got = runs("quantize_int8", {"x": x}, ["y", "scale"], columns=columns)
        quantised("quantize_int8", x, columns, "i8", got)
        assert got == runs("quantize_fp8", {"x": x}, ["y", "scale"], [("y", "i8")], columns)


def norms_quantised():
    for columns in (1, 300):
        x, residual = numbers(3, columns, 1), numbers(3, columns, 2)
        shared = {"weight": column_of("w", columns), "bias": column_of("b", columns)}
        kinds = itertools.cycle(MOST)
        for norm, there in itertools.product(
                ("rms_norm", "layer_norm"), subsets(["residual", "weight", "bias", "offset"])):
            if norm == "layer_norm" and "offset" in there:
                continue
            scalars = dict({"offset": 1.0} if "offset" in there else {}, eps=1e-5)
            kept = {name: shared[name] for name in there if name in shared}
            more = {"residual": residual} if "residual" in there else {}
            wanted = [getattr(ref, norm)(x[row], **{name: more[name][row] for name in more}, **kept,
                                         **scalars) for row in range(3)]
            kind = next(kinds)
            for kernel, size in [(norm + "_quantize_fp8", 0), (norm + "_quantize_fp8_groups", 64)]:
                given = {"x": x, **more, **kept}
                present = [(name, "f32") for name in there] + [("y", kind)]
                alone = runs(kernel, given, ["y", "scale"], present, columns, scalars.items(),
                             groups=size)
                got = runs(kernel, given, ["y", "scale", "residual_out"],
                           present + [("residual_out", "bf16")], columns, scalars.items(), groups=size)
                assert all(got[name] == alone[name] for name in alone)
                assert got["residual_out"] == [[from_bf16(to_bf16(v)) for v in row["residual_out"]]
                                               for row in wanted]
                # A norm of one column is 0 in float64, and in f32.
                quantised(kernel, [row["y"] for row in wanted], size or columns, kind, got, 1e-4)


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


PARTS = [softmax_family, norms, norm_gradients, cross_entropy, cross_entropy_totals, divergences,
         quantisation, norms_quantised, statistics]
for part in PARTS:
    part()
missing = set(KERNELS) - SEEN
assert not missing, "kernels without a test here: %s" % sorted(missing)
