# test/Kernels/Inputs/autograd.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of kernels against torch's autograd of the same function in float64. What a
backward kernel takes from the forward pass comes from the forward kernel, rounded as that
stores it."""

import collections
import os

import numpy as np
import torch
import torch.nn.functional as F

from bounds import Tree, stored
from cases import log_softmax
from formulas import FORMULAS
from hard_rows import from_storage, is_adversarial, rows, to_storage

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def single(number):
    """A parameter as the kernel takes it."""
    return float(np.float32(number))


EPS = single(1e-5)

# `function` takes tensors by name and returns what `dy` or `dloss` weighs; `operands` makes
# arrays, `leaves` names those whose gradients the outputs are. `saved` names what the
# forward kernel gives, by (its output, the backward kernel's operand).
Check = collections.namedtuple(
    "Check", "name kernel function operands leaves scalars forward saved forward_scalars keeps")


def check(name, kernel, function, operands, leaves, scalars=None, forward=None, saved=(),
          forward_scalars=None, keeps=()):
    CHECKS.append(Check(name, kernel, function, operands, leaves, scalars or {}, forward, saved,
                        forward_scalars or {}, keeps))


class Source:
    """Rows of the storage type, and other operands in f32."""

    def __init__(self, columns, kind):
        names, x = rows(columns, kind, 3, samples=4)
        self.x = x[[not is_adversarial(name) for name in names]]
        self.kind, self.rng = kind, np.random.default_rng(11)
        self.shape = self.x.shape

    def hold(self, values, kind=None):
        kind = kind or self.kind
        return from_storage(to_storage(values, kind), kind)

    def dy(self):
        return self.hold(self.rng.normal(size=self.shape))

    def column(self):
        return self.hold(self.rng.normal(size=(1, self.shape[1])), "f32")

    def numbers(self):
        return self.hold(self.rng.normal(size=(self.shape[0], 1)), "f32")

    def logs(self):
        return self.hold(log_softmax(self.rng.permutation(self.x)))

    def targets(self):
        at = self.rng.integers(0, self.shape[1], size=(self.shape[0], 1)) * 1.0
        at[::5] = -100
        return at


def loss_of(x, target, weight=None, smoothing=0.0, z_loss=0.0, cap=0.0):
    v = cap * torch.tanh(x / cap) if cap else x
    t = target.long().reshape(-1)
    loss = F.cross_entropy(v, t, None if weight is None else weight.reshape(-1),
                           reduction="none", ignore_index=-100, label_smoothing=smoothing)
    return (loss + torch.where(t == -100, 0.0, z_loss) * torch.logsumexp(v, -1) ** 2)[:, None]


def divergence(x, t, beta):
    q, p = torch.exp(x), torch.exp(t)
    m = torch.log(beta * p + (1 - beta) * q)
    return (beta * p * (t - m) + (1 - beta) * q * (x - m)).sum(-1, keepdim=True)


def rms(x, w):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS) * w


def layer(x, w, b):
    return F.layer_norm(x, x.shape[-1:], w.reshape(-1), b.reshape(-1), EPS)


def kl(x, t, log_target):
    return F.kl_div(x, t, reduction="none", log_target=log_target).sum(-1, keepdim=True)


CHECKS = []
OPTIONS = (("smoothing", single(0.1)), ("z_loss", single(1e-3)), ("cap", 30.0))
for scale in ({}, {"scale": 0.25}):
    s = scale.get("scale", 1.0)
    name = ", scale" if scale else ""
    check("softmax" + name, "softmax_backward", lambda x, s=s: F.softmax(x * s, -1),
          lambda g: {"x": g.x, "dy": g.dy()}, {"x": "dx"}, scale, "softmax", [("y", "y")], scale)
    check("log_softmax" + name, "log_softmax_backward", lambda x, s=s: F.log_softmax(x * s, -1),
          lambda g: {"x": g.x, "dy": g.dy()}, {"x": "dx"}, scale, "log_softmax", [("y", "y")],
          scale)
    check("logsumexp" + name, "logsumexp_backward",
          lambda x, s=s: torch.logsumexp(x * s, -1, keepdim=True),
          lambda g: {"x": g.x, "dlse": g.numbers()}, {"x": "dx"}, scale, "logsumexp",
          [("lse", "lse")], scale, keeps=["x"])
check("rms_norm", "rms_norm_backward", rms,
      lambda g: {"x": g.x, "dy": g.dy(), "w": g.column()}, {"x": "dx", "w": "dw"}, {},
      "rms_norm", [("rstd", "rstd")], {"eps": EPS}, keeps=["x", "w"])
check("layer_norm", "layer_norm_backward", layer,
      lambda g: {"x": g.x, "dy": g.dy(), "w": g.column(), "b": g.column()},
      {"x": "dx", "w": "dw", "b": "db"}, {}, "layer_norm",
      [("mean", "mean"), ("rstd", "rstd")], {"eps": EPS}, keeps=["x", "w"])
for names in ([], ["weight"], ["smoothing"], ["z_loss"], ["cap"],
              ["weight", "smoothing", "z_loss", "cap"]):
    numbers = {n: v for n, v in OPTIONS if n in names}
    check(" ".join(["cross_entropy", *names]), "cross_entropy_backward",
          lambda numbers=numbers, **given: loss_of(**given, **numbers),
          lambda g, names=names: {
              "x": g.x, "target": g.targets(), "dloss": g.numbers(),
              **({"weight": abs(g.column())} if "weight" in names else {})},
          {"x": "dx"}, numbers, keeps=["x", "target", "weight"])
for log_target in (False, True):
    check("kl_div" + (", log_target" if log_target else ""), "kl_div_backward",
          lambda x, t, log_target=log_target: kl(x, t, log_target),
          lambda g, log_target=log_target: {
              "x": g.logs(), "t": g.logs() if log_target else g.hold(np.exp(g.logs())),
              "dloss": g.numbers()},
          {"x": "dx"}, {"log_target": 1} if log_target else {}, keeps=["t"])
for beta in (0.5, single(0.2)):
    check("jsd, beta = %.1f" % beta, "jsd_backward", lambda x, t, b=beta: divergence(x, t, b),
          lambda g: {"x": g.logs(), "t": g.logs(), "dloss": g.numbers()}, {"x": "dx"},
          {"beta": beta}, keeps=["x", "t"])
UPSTREAM = {"dy", "dlse", "dloss"}


def gradients(of, operands, dtype):
    """autograd's, by the name of the kernel's output."""
    def tensor(values):
        # Functions of torch take weights of the type of their rows.
        isNumbers = values.shape[1] == 1 and dtype != torch.float64
        kind = torch.float32 if isNumbers else dtype
        return torch.tensor(values, device=DEVICE, dtype=torch.float64).to(kind)
    given = {name: tensor(values) for name, values in operands.items()}
    for name in of.leaves:
        given[name].requires_grad_()
    upstream = next(given.pop(name) for name in list(given) if name in UPSTREAM)
    result = of.function(**given)
    result.backward(upstream.to(result.dtype).expand_as(result))
    return {output: given[name].grad.double().cpu().numpy() for name, output in of.leaves.items()}


def evaluate(of, tree, given):
    """What formulas.py says; of rows whose target is ignored, 0."""
    given = dict(given)
    ignored = None
    if "target" in given:
        ignored = given["target"] < 0
        given["target"] = np.where(ignored, 0, given["target"])
    found = FORMULAS[of.kernel](tree, **given, **of.scalars)
    if ignored is not None:
        found = {name: (np.where(ignored, 0, value), np.where(ignored, 0, error))
                 for name, (value, error) in found.items()}
    return found


def run(runner, of, columns, kind):
    """Yields (output, share of what is allowed, our greatest error, torch's)."""
    source = Source(columns, kind)
    operands = of.operands(source)
    given = {name: values for name, values in operands.items()
             if name in UPSTREAM or name in of.keeps}
    exact = dict(given)
    if of.forward:
        first = {name: operands[name] for name in ("x",)}
        outputs = [output for output, _ in of.saved]
        path = os.path.join(runner.kernels, of.forward + ".mlir")
        found, _, plan = runner.run(path, first, outputs, of.forward_scalars, columns, kind)
        values = FORMULAS[of.forward](Tree(plan, columns), **first, **of.forward_scalars)
        for output, name in of.saved:
            exact[name] = values[output][0]
            given[name] = found[output].reshape(exact[name].shape)
    path = os.path.join(runner.kernels, of.kernel + ".mlir")
    outputs = list(of.leaves.values())
    got, types, plan = runner.run(path, given, outputs, of.scalars, columns, kind)
    tree = Tree(plan, columns)
    seen, ideal = evaluate(of, tree, given), evaluate(of, tree, exact)
    wanted = gradients(of, operands, torch.float64)
    try:
        theirs = gradients(of, operands, DTYPES[kind])
    except RuntimeError as error:
        # Not every version has all functions for all types on all devices.
        assert "not implemented" in str(error), error
        theirs = {output: np.full_like(values, np.nan) for output, values in wanted.items()}
    lines = []
    for output in outputs:
        value, error = seen[output]
        value, error = stored(value, error + 0 * value, types[output])
        # float64 itself is 1e-12 or so off.
        allowed = error + abs(value - ideal[output][0]) + 1e-11 * abs(value).max()
        expected = wanted[output].reshape(value.shape)
        off = abs(got[output].reshape(value.shape) - expected)
        lines.append((output, float(np.max(off / allowed)), float(off.max()),
                      float(abs(theirs[output].reshape(value.shape) - expected).max())))
    return lines
