# test/Kernels/Inputs/references.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library's kernels mean, in float64 and in plain Python, after torch's
definitions: independent of the row programs, which the evaluator follows. Each function
takes one row of each operand and returns one row (a list) or number of each output."""

import math

INF, NAN = math.inf, math.nan


def exp(x):
    return math.exp(x) if x < 709 else (x if math.isnan(x) else INF)


def log(x):
    return NAN if math.isnan(x) or x < 0 else -INF if x == 0 else math.log(x) if x < INF else INF


def divide(a, b):
    if b != 0:
        return a / b
    return NAN if a == 0 or math.isnan(a) else math.copysign(INF, a) * math.copysign(1, b)


def times(a, b):
    return a * b  # IEEE in Python, but for exceptions that products have none of


def greatest(row):
    return NAN if any(math.isnan(x) for x in row) else max(row)


def add_up(row):
    if any(math.isnan(x) for x in row) or (INF in row and -INF in row):
        return NAN
    return math.fsum(row) if all(math.isfinite(x) for x in row) else sum(row)


def prepared(x, mask=None, scale=1.0):
    return [a * scale + b for a, b in zip(x, mask or [0.0] * len(x))]


def log_softmax(x, mask=None, scale=1.0):
    v = prepared(x, mask, scale)
    m = greatest(v)
    shifted = [a - m for a in v]
    l = log(add_up([exp(a) for a in shifted]))
    return [a - l for a in shifted]


def softmax(x, mask=None, scale=1.0):
    return [exp(a) for a in log_softmax(x, mask, scale)]


def logsumexp(x, mask=None, scale=1.0):
    v = prepared(x, mask, scale)
    m = greatest(v)
    if math.isinf(m):
        m = 0.0
    return m + log(add_up([exp(a - m) for a in v]))


def softmax_backward(y, dy, scale=1.0):
    dot = add_up([a * b for a, b in zip(y, dy)])
    return [a * (b - dot) * scale for a, b in zip(y, dy)]


def log_softmax_backward(y, dy, scale=1.0):
    total = add_up(dy)
    return [(b - exp(a) * total) * scale for a, b in zip(y, dy)]


def logsumexp_backward(x, lse, dlse, mask=None, scale=1.0):
    return [exp(a - lse) * dlse * scale for a in prepared(x, mask, scale)]


def rms_norm(x, residual=None, weight=None, bias=None, eps=1e-6, offset=0.0):
    n = len(x)
    h = [a + b for a, b in zip(x, residual or [0.0] * n)]
    rstd = 1 / math.sqrt(add_up([a * a for a in h]) / n + eps)
    y = [a * rstd * (w + offset) + b
         for a, w, b in zip(h, weight or [1.0] * n, bias or [0.0] * n)]
    return {"y": y, "residual_out": h, "rstd": rstd}


def moments(row):
    mean = add_up(row) / len(row)
    return mean, add_up([(a - mean) ** 2 for a in row])


def layer_norm(x, residual=None, weight=None, bias=None, eps=1e-5):
    n = len(x)
    h = [a + b for a, b in zip(x, residual or [0.0] * n)]
    mean, squares = moments(h)
    rstd = 1 / math.sqrt(squares / n + eps)
    y = [(a - mean) * rstd * w + b
         for a, w, b in zip(h, weight or [1.0] * n, bias or [0.0] * n)]
    return {"y": y, "residual_out": h, "mean": mean, "rstd": rstd}


def rms_norm_backward(x, dy, rstd, w=None, dresidual_out=None, offset=0.0):
    """dx, and what the row adds to dw and db. Of y = r f x with dr / dx = -r^3 x / n."""
    n = len(x)
    f = [a + offset for a in w or [1.0] * n]
    along = add_up([g * b * a for g, b, a in zip(dy, f, x)]) / n
    dx = [rstd * g * b - rstd ** 3 * a * along + d
          for g, b, a, d in zip(dy, f, x, dresidual_out or [0.0] * n)]
    return {"dx": dx, "dresidual": dx, "dw": [g * a * rstd for g, a in zip(dy, x)], "db": dy}


def layer_norm_backward(x, dy, mean, rstd, w=None, dresidual_out=None):
    """That of the norm of x - mean, whose own gradient has no mean."""
    n = len(x)
    found = rms_norm_backward([a - mean for a in x], dy, rstd, w)
    level = add_up(found["dx"]) / n
    dx = [a - level + d for a, d in zip(found["dx"], dresidual_out or [0.0] * n)]
    return {**found, "dx": dx, "dresidual": dx}


def l2_normalize(x, eps=1e-12):
    norm = max(math.sqrt(add_up([a * a for a in x])), eps)
    return [a / norm for a in x]


def cross_entropy(x, target, weight=None, ignore_index=-100, smoothing=0.0, z_loss=0.0, cap=0.0):
    n = len(x)
    weight = weight or [1.0] * n
    if cap > 0:
        x = [cap * math.tanh(a / cap) for a in x]
    logp = log_softmax(x)
    lse = logsumexp(x)
    if target == ignore_index:
        return {"loss": 0.0, "lse": lse}
    if not 0 <= target < n:
        return {"loss": NAN, "lse": lse}
    loss = -weight[target] * logp[target]
    if smoothing > 0:
        loss = (1 - smoothing) * loss + smoothing / n * add_up(
            [-w * a for w, a in zip(weight, logp)])
    if z_loss > 0:
        loss += z_loss * lse * lse
    return {"loss": loss, "lse": lse}


def divisor(targets, weight=None, ignore_index=-100):
    """Of torch's mean of cross-entropy losses, with label smoothing, too."""
    kept = [t for t in targets if t != ignore_index]
    return add_up([weight[t] for t in kept]) if weight else float(len(kept))


def kl_div(x, t, log_target=0):
    if log_target:
        return add_up([exp(b) * (b - a) for a, b in zip(x, t)])
    return add_up([(0.0 if b == 0 else b * log(b)) - b * a for a, b in zip(x, t)])


def jsd(x, t, beta=0.5):
    total = []
    for a, b in zip(x, t):
        q, p = exp(a), exp(b)
        m = beta * p + (1 - beta) * q
        total.append((beta * p * (b - log(m)) if p else 0.0)
                     + ((1 - beta) * q * (a - log(m)) if q else 0.0))
    return add_up(total)


def first_extreme(x, better):
    at = 0
    for i, a in enumerate(x):
        if math.isnan(x[at]):
            break
        if math.isnan(a) or better(a, x[at]):
            at = i
    return at


def argmax(x):
    at = first_extreme(x, lambda a, b: a > b)
    return {"column": at, "value": x[at]}


def argmin(x):
    at = first_extreme(x, lambda a, b: a < b)
    return {"column": at, "value": x[at]}


def var(x, correction=1.0):
    mean, squares = moments(x)
    return {"y": divide(squares, max(0.0, len(x) - correction)), "mean": mean}


def prod(x):
    total = 1.0
    for a in x:
        total *= a
    return total


STATISTICS = {
    "sum": lambda x: add_up(x), "mean": lambda x: add_up(x) / len(x),
    "max": lambda x: greatest(x),
    "min": lambda x: -greatest([-a for a in x]), "prod": prod,
    "amax": lambda x: greatest([abs(a) for a in x]),
    "norm1": lambda x: add_up([abs(a) for a in x]),
    "norm2": lambda x: math.sqrt(add_up([a * a for a in x])),
    "any": lambda x: int(any(a != 0 for a in x)), "all": lambda x: int(all(a != 0 for a in x))}


def gradient(function, x, step=1e-6):
    """Central differences of a function of a row that gives a number."""
    def moved(i, by):
        return function([a + by if i == j else a for j, a in enumerate(x)])
    return [(moved(i, step) - moved(i, -step)) / (2 * step) for i in range(len(x))]
