# test/Kernels/Inputs/cases.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels on hard rows, in the simulator or on a GPU, and holds each output to its
bound."""

import os
import re
import subprocess
import tempfile

import numpy as np

from bounds import Tree, stored
from formulas import FORMULAS
from hard_rows import OVER_ROWS, from_storage, rows, to_storage

EPS = {"eps": 1e-5}


def log_softmax(x):
    t = x - x.max(axis=-1, keepdims=True)
    return t - np.log(np.exp(t).sum(axis=-1, keepdims=True))


def moments(x):
    mean = x.mean(axis=-1, keepdims=True)
    return mean, ((x - mean) ** 2).mean(axis=-1, keepdims=True)


class Given:
    """Makes the operands of a case: rows, and what follows from them."""

    def __init__(self, columns, kind, seed, samples):
        self.names, self.x = rows(columns, kind, seed, samples)
        self.kind, self.count, self.columns, self.samples = kind, len(self.x), columns, samples
        self.rng = np.random.default_rng(seed + 1)

    def other(self):
        """Other rows for each row."""
        return np.roll(rows(self.columns, self.kind, 77, self.samples)[1], 5, axis=0)

    def numbers(self):
        return self.rng.normal(size=(self.count, 1))

    def columns_operand(self):
        return self.rng.normal(size=(1, self.columns))

    def target(self):
        """The least and the greatest element count as well as any other."""
        at = self.rng.integers(0, self.columns, size=(self.count, 1))
        at[::3] = self.x.argmin(axis=-1)[::3, None]
        at[1::3] = self.x.argmax(axis=-1)[1::3, None]
        return at * 1.0


def rms_backward(g, of_mean):
    """x with its statistics."""
    mean, variance = moments(g.x) if of_mean else (0.0, (g.x ** 2).mean(-1, keepdims=True))
    found = {"x": g.x, "w": g.columns_operand(), "dy": g.other(),
             "rstd": 1 / np.sqrt(variance + 1e-5)}
    return {**found, "mean": mean} if of_mean else found


def few_terms(g):
    """Log-probabilities, not normalised: sums of a term each, whose errors do not average,
    of two that are near each other."""
    at = np.arange(g.count), g.rng.integers(0, g.columns, size=g.count)
    near = g.rng.uniform(-6, 0, size=g.count)
    found = {}
    for name in ("x", "t"):
        found[name] = np.full((g.count, g.columns), -100.0)
        found[name][at] = near * g.rng.uniform(0.9, 1, size=g.count)
    return found


def few_factors(g):
    """Products that neither overflow nor vanish in any order: signs, a few powers of two and
    six other factors."""
    x = g.rng.choice([-1.0, 1.0], size=(g.count, g.columns))
    x[:, ::g.columns // 20 + 1] *= 4.0
    x[:, 3::g.columns // 20 + 1] *= 0.25
    x[:, 1::g.columns // 6 + 1] *= 1 + g.rng.uniform(size=x[:, 1::g.columns // 6 + 1].shape)
    return {"x": x}


X = lambda g: {"x": g.x}
LOGS = lambda g: {"x": log_softmax(g.x), "t": log_softmax(g.other())}
# kernel, operands, outputs, scalars. What is no row is f32, or i64 if it is a target.
CASES = [
    ("softmax", X, ["y"], {}),
    ("softmax", lambda g: {"x": g.x, "mask": g.other()}, ["y"], {"scale": 0.3}),
    ("log_softmax", X, ["y"], {}),
    ("log_softmax", lambda g: {"x": g.x, "mask": g.other()}, ["y"], {"scale": 0.3}),
    ("logsumexp", X, ["lse"], {}),
    ("logsumexp", lambda g: {"x": g.x, "mask": g.other()}, ["lse"], {"scale": 0.3}),
    ("softmax_backward", lambda g: {"y": np.exp(log_softmax(g.x)), "dy": g.other()}, ["dx"], {}),
    ("softmax_backward", lambda g: {"y": np.exp(log_softmax(g.x)), "dy": g.other()}, ["dx"],
     {"scale": 0.3}),
    ("log_softmax_backward", lambda g: {"y": log_softmax(g.x), "dy": g.other()}, ["dx"], {}),
    ("log_softmax_backward", lambda g: {"y": log_softmax(g.other()), "dy": g.x}, ["dx"],
     {"scale": 0.3}),
    ("logsumexp_backward", lambda g: {
        "x": g.x, "lse": g.x.max(-1, keepdims=True) - log_softmax(g.x).max(-1, keepdims=True),
        "dlse": g.numbers()}, ["dx"], {}),
    ("rms_norm", X, ["y", "rstd"], EPS),
    ("rms_norm", lambda g: {"x": g.x, "residual": g.other(), "weight": g.columns_operand(),
                            "bias": g.columns_operand()},
     ["y", "residual_out", "rstd"], {**EPS, "offset": 1.0}),
    ("layer_norm", X, ["y", "mean", "rstd"], EPS),
    ("layer_norm", lambda g: {"x": g.x, "residual": g.other(), "weight": g.columns_operand(),
                              "bias": g.columns_operand()},
     ["y", "residual_out", "mean", "rstd"], EPS),
    ("rms_norm_backward", lambda g: rms_backward(g, False), ["dx", "dw", "db"], {}),
    ("rms_norm_backward", lambda g: {**rms_backward(g, False), "dresidual_out": g.numbers() * g.x},
     ["dx", "dresidual", "dw"], {"offset": 1.0}),
    ("layer_norm_backward", lambda g: rms_backward(g, True), ["dx", "dw", "db"], {}),
    ("layer_norm_backward", lambda g: {**rms_backward(g, True), "dresidual_out": g.numbers() * g.x},
     ["dx", "dresidual"], {}),
    ("l2_normalize", X, ["y"], {"eps": 1e-12}),
    ("cross_entropy", lambda g: {"x": g.x, "target": g.target()}, ["loss", "lse"], {}),
    ("cross_entropy", lambda g: {"x": g.x, "target": g.target(),
                                 "weight": abs(g.columns_operand())},
     ["loss", "lse", "weight_sum"], {"smoothing": 0.1, "z_loss": 1e-4, "cap": 30.0}),
    ("cross_entropy", lambda g: {"x": g.x, "target": g.target(), "divisor": np.array([[7.0]])},
     ["loss", "total"], {}),
    ("target_count", lambda g: {"target": g.rng.choice([-100.0, 3.0, 8.0], size=g.x.shape)},
     ["divisor"], {}),
    ("target_weights", lambda g: {"target": g.target(),
                                  "weight": np.tile(g.columns_operand(), (g.count, 1))},
     ["divisor"], {}),
    ("cross_entropy_backward", lambda g: {"x": g.x, "target": g.target(), "dloss": g.numbers()},
     ["dx", "loss", "lse"], {}),
    ("cross_entropy_backward", lambda g: {
        "x": g.x, "target": g.target(), "divisor": np.array([[7.0]])}, ["dx", "total"], {}),
    ("cross_entropy_backward", lambda g: {
        "x": g.x, "target": g.target(), "weight": abs(g.columns_operand()),
        "dloss": g.numbers()},
     ["dx", "loss", "lse"], {"smoothing": 0.1, "z_loss": 1e-4, "cap": 30.0}),
    ("kl_div", lambda g: {"x": log_softmax(g.x), "t": np.exp(log_softmax(g.other()))},
     ["loss"], {}),
    ("kl_div", LOGS, ["loss"], {"log_target": 1}),
    ("kl_div_backward", lambda g: {"t": np.exp(log_softmax(g.x)), "dloss": g.numbers()},
     ["dx"], {}),
    ("kl_div_backward", lambda g: {"t": log_softmax(g.x), "dloss": g.numbers()}, ["dx"],
     {"log_target": 1}),
    ("jsd", LOGS, ["loss"], {}),
    ("jsd", LOGS, ["loss"], {"beta": 0.2}),
    ("jsd", few_terms, ["loss"], {}),
    ("jsd_backward", lambda g: {**LOGS(g), "dloss": g.numbers()}, ["dx"], {"beta": 0.2}),
    ("sum", X, ["s"], {}), ("mean", X, ["m"], {}), ("var", X, ["y", "mean"], {}),
    ("norm1", X, ["y"], {}), ("norm2", X, ["y"], {}),
    ("prod", few_factors, ["y"], {}),
    ("max", X, ["m"], {}), ("min", X, ["y"], {}), ("amax", X, ["y"], {}),
    ("any", X, ["y"], {}), ("all", X, ["y"], {}),
    ("argmax", X, ["column", "value"], {}), ("argmin", X, ["column", "value"], {}),
    ("quantize_fp8", X, ["y", "scale"], {}), ("quantize_fp8_pow2", X, ["y", "scale"], {}),
    ("quantize_int8", X, ["y", "scale"], {}),
    ("quantize_fp8_static", X, ["y"], {"scale": 0.25}),
    ("quantize_fp8_groups", X, ["y", "scale"], {}),
    ("quantize_fp8_groups_pow2", X, ["y", "scale"], {}),
] + [
    (norm + "_quantize_fp8" + groups, operands, outputs, EPS)
    for norm in ("rms_norm", "layer_norm") for groups in ("", "_groups")
    for operands, outputs in (
        (lambda g: {"x": g.x, "weight": g.columns_operand()}, ["y", "scale"]),
        (lambda g: {"x": g.x, "residual": g.other()}, ["y", "scale", "residual_out"]))
]


INTEGERS = {"target": "i64", "column": "i32"}
OPTIONAL = {"mask", "scale", "weight", "bias", "residual", "residual_out", "offset", "mean",
            "rstd", "smoothing", "z_loss", "cap", "dloss", "loss", "lse", "log_target", "beta",
            "value"}


class Runner:
    """Runs kernel files: `device` is sim or gpu."""

    def __init__(self, kernels, device="sim", tool="quack-run"):
        self.kernels, self.device, self.tool = kernels, device, tool

    def storage(self, text, given, outputs, scalars, kind):
        """The storage type of each operand that may have one, by name."""
        types = {}
        for name in [*given, *outputs]:
            declared = re.search(r"%%%s: memref<(\?x)*(\w+)> \w+ (\w+)" % name, text)
            assert declared, "no operand %s" % name
            element, role = declared.group(2), declared.group(3)
            types[name] = kind if element == "f32" and role == "row" else element
        for name in scalars:
            declared = re.search(r"%%%s: (\w+)" % name, text)
            types[name] = declared.group(1)
        return types

    def run(self, path, given, outputs, scalars, columns, kind, pin=""):
        """Returns the outputs by name, their types, and the plan."""
        with open(path) as file:
            text = file.read()
        types = self.storage(text, given, outputs, scalars, kind)
        command = [self.tool, "--device=" + self.device, path, "--columns=%d" % columns]
        command += ["--pin=" + pin] if pin else []
        named = [name for name in types if is_named(text, name)]
        command += ["--storage=" + ",".join("%s:%s" % (name, types[name]) for name in named)]
        for name, value in scalars.items():
            command += ["--scalar", "%s=%r" % (name, value)]
        with tempfile.TemporaryDirectory() as folder:
            def file_of(name):
                return os.path.join(folder, name + ".npy")
            for name, values in given.items():
                array = to_storage(values, types[name])
                is_row = values.shape[1] > 1 and values.shape[0] > 1
                np.save(file_of(name), array if is_row else array.reshape(-1))
                command += ["--in", "%s=%s" % (name, file_of(name))]
            for name in outputs:
                command += ["--out", "%s=%s" % (name, file_of(name))]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=300)
            assert done.returncode == 0, " ".join(command) + "\n" + done.stdout
            plan = re.search(r"^plan: (.*)$", done.stdout, re.M).group(1)
            found = {}
            for name in outputs:
                of = "e4m3" if types[name] == "f8E4M3FN" else types[name]
                found[name] = from_storage(np.load(file_of(name)), of)
        return found, types, plan


def is_named(text, name):
    """Whether --storage has to name an operand: rows, and what is optional."""
    declared = re.search(r"%%%s: ([^,)]*)" % name, text).group(1)
    return " row" in declared and "xf32" in declared or "optional" in declared


def used(got, value, error):
    """The error over its bound: 0 where there is none, infinite where it is broken by any
    distance and the bound is 0."""
    distance = np.where(got == value, 0.0, abs(got - value))
    isBound = (error > 0) & np.isfinite(error)
    share = np.divide(distance, error, out=np.where(distance > 0, np.inf, 0.0), where=isBound)
    share = np.where(np.isinf(error), 0.0, share)
    return np.where(np.isnan(share) | (np.isnan(got) & np.isfinite(value)), np.inf, share)


def judge(kernel, given, scalars, found, types, plan, columns):
    """Returns each output's error over its bound, element by element."""
    tree = Tree(plan, columns)
    # A kernel sees what the arrays hold, and parameters in f32.
    seen = {name: from_storage(to_storage(values, types[name]), types[name])
            for name, values in given.items()}
    seen.update({name: float(np.float32(value)) for name, value in scalars.items()})
    expected = FORMULAS[kernel](tree, **seen)
    shares = {}
    for name, got in found.items():
        value, error = expected[name]
        if types[name] in ("f32", "bf16", "f16"):
            value, error = stored(value, error + 0 * value, types[name])
        error = error + 0 * value
        # What may overflow has no bound; of these rows few may, in f16.
        bounded = np.isfinite(error).mean()
        assert bounded > 0.75, "only %.2f of %s of %s have bounds" % (bounded, name, kernel)
        shares[name] = used(got.reshape(value.shape), value, error)
    return shares


def check(runner, case, columns, kind, pin="", samples=1, path=None):
    """Yields (output, name of the row, its greatest share of the bound)."""
    kernel, operands, outputs, scalars = case
    given = Given(columns, kind, seed=columns, samples=samples)
    values = operands(given)
    found, types, plan = runner.run(path or os.path.join(runner.kernels, kernel + ".mlir"),
                                    values, outputs, scalars, columns, kind, pin)
    shares = judge(kernel, values, scalars, found, types, plan, columns)
    for output, share in shares.items():
        per_row = share.max(axis=-1)
        names = given.names if len(per_row) == given.count else [OVER_ROWS]
        for name, of_row in zip(names, per_row):
            yield output, name, float(of_row)
