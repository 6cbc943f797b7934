# test/Kernels/Inputs/formulas.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For each kernel of the library: what it computes, in float64, and the bound of its
error, output by output. A formula takes the operands that are there by their names, as
they lie in memory, and returns (value, error before the store) by output's name. The
table of lib/Kernels/README.md says where the terms come from."""

import numpy as np

from bounds import *

FORMULAS = {}


def formula(*names):
    def add(function):
        FORMULAS.update({name: function for name in names})
        return function
    return add


def scaled(x, mask=None, scale=None):
    """v = x * scale + mask, and its error."""
    v, error = x, 0.0
    if scale is not None:
        v, error = v * scale, U * abs(v * scale)
    if mask is not None:
        v = v + mask
        error = error + U * abs(v)
    return v, error


def with_factor(value, error, factor):
    """A product with a scalar that is there or not."""
    if factor is None:
        return value, error
    return value * factor, abs(factor) * (error + U * abs(value))


@formula("softmax")
def softmax(tree, x, mask=None, scale=None):
    n = Normaliser(*scaled(x, mask, scale), tree)
    return {"y": (n.p, n.p_error)}


@formula("log_softmax")
def log_softmax(tree, x, mask=None, scale=None):
    n = Normaliser(*scaled(x, mask, scale), tree)
    y = n.t - n.log
    return {"y": (y, n.t_error + n.log_error + U * abs(y))}


@formula("logsumexp")
def logsumexp(tree, x, mask=None, scale=None):
    n = Normaliser(*scaled(x, mask, scale), tree)
    return {"lse": (n.lse, n.lse_error)}


@formula("softmax_backward")
def softmax_backward(tree, y, dy, scale=None):
    dot, error = total(y * dy, rounded(y * dy), tree)
    rest = dy - dot
    return {"dx": with_factor(y * rest, abs(y) * (error + 2 * U * abs(rest)), scale)}


@formula("log_softmax_backward")
def log_softmax_backward(tree, y, dy, scale=None):
    s, error = total(dy, 0.0, tree)
    p = np.exp(y)
    d = dy - p * s
    found = p * error + p * abs(s) * (exp_error(y) + U) + U * abs(d) + FLUSH * abs(s)
    return {"dx": with_factor(d, found, scale)}


@formula("logsumexp_backward")
def logsumexp_backward(tree, x, lse, dlse, mask=None, scale=None):
    v, error = scaled(x, mask, scale)
    t = v - lse
    d = np.exp(t) * dlse * (1.0 if scale is None else scale)
    relative = error + U * abs(t) + exp_error(t) + (U if scale is None else 2 * U)
    return {"dx": (d, abs(d) * relative + FLUSH * abs(dlse))}


def root_mean_square(h, relative, eps, tree):
    """1 / sqrt(mean h^2 + eps) of elements with a relative error, and its own: the sum's
    terms have one sign."""
    mean = add_up(h * h) / tree.columns
    error = mean * (2 * relative + (tree.depth + 2) * U) + TINY
    return 1 / np.sqrt(mean + eps), inverse_root_error(error / (mean + eps) + U)


def affine(normal, error, weight, bias, offset=None):
    """normal * (weight + offset) + bias."""
    y = normal
    if weight is not None or offset is not None:
        factor = (0.0 if weight is None else weight) + (0.0 if offset is None else offset)
        if weight is None:
            factor = factor + 1.0
        of_factor = 0.0 if offset is None else U * abs(factor)
        error = abs(factor) * (error + U * abs(normal)) + abs(normal) * of_factor
        y = normal * factor
    if bias is not None:
        y = y + bias
        error = error + U * abs(y)
    return y, error


@formula("rms_norm")
def rms_norm(tree, x, eps, residual=None, weight=None, bias=None, offset=None):
    h = x if residual is None else x + residual
    relative = 0.0 if residual is None else U
    rstd, error = root_mean_square(h, relative, eps, tree)
    normal = h * rstd
    return {"y": affine(normal, abs(normal) * (relative + error + U), weight, bias, offset),
            "residual_out": (h, relative * abs(h)), "rstd": (rstd, rstd * error)}


@formula("layer_norm")
def layer_norm(tree, x, eps, residual=None, weight=None, bias=None):
    h = x if residual is None else x + residual
    given = 0.0 * h if residual is None else U * abs(h)
    m = Moments(h, given, tree)
    safe = m.squares / tree.columns + eps
    of_safe = (m.squares_error + U * m.squares) / tree.columns / safe + U
    rstd, error = 1 / np.sqrt(safe), inverse_root_error(of_safe)
    above, low = abs(h - m.mean) + U * abs(m.mean), U * abs(m.mean)
    normal = (h - m.mean) * rstd
    of_normal = (rstd * (m.centre_error + given + U * above + (above + low) * error + U * low)
                 + U * abs(normal))
    return {"y": affine(normal, of_normal, weight, bias), "residual_out": (h, given),
            "mean": (m.mean, m.mean_error), "rstd": (rstd, rstd * error)}


def factor_of(w, offset):
    """w + offset, and how many roundings it has; both may be absent."""
    factor = (1.0 if w is None else w) + (0.0 if offset is None else offset)
    return factor, 0 if offset is None else 1


def with_residual(own, error, through):
    """The gradient of a norm's input, and of the residual that was added to it."""
    if through is not None:
        own = own + through
        error = error + U * abs(own)
    return {"dx": (own, error), "dresidual": (own, error)}


def over_rows(values):
    return values.sum(axis=0, keepdims=True)


@formula("rms_norm_backward")
def rms_norm_backward(tree, x, dy, rstd, w=None, dresidual_out=None, offset=None):
    factor, of_factor = factor_of(w, offset)
    xhat = x * rstd
    product, g = dy * xhat * factor, dy * factor
    s, error = total(product, (3 + of_factor) * rounded(product), tree)
    c = s / tree.columns
    of_c = error / tree.columns + rounded(c)
    along = xhat * c
    across = g - along
    of_across = (abs(xhat) * of_c + 2 * rounded(along) + (1 + of_factor) * rounded(g)
                 + U * abs(across))
    rows = tree.depth_over_rows(len(x))
    dw = dy * xhat
    return {**with_residual(across * rstd, rstd * (of_across + U * abs(across)), dresidual_out),
            "dw": (over_rows(dw), (rows + 2) * U * over_rows(abs(dw))),
            "db": (over_rows(dy), rows * U * over_rows(abs(dy)))}


@formula("layer_norm_backward")
def layer_norm_backward(tree, x, dy, mean, rstd, w=None, dresidual_out=None):
    factor, _ = factor_of(w, None)
    xhat = (x - mean) * rstd
    product, g = dy * xhat * factor, dy * factor
    g_sum, of_g_sum = total(g, rounded(g), tree)
    s, error = total(product, 4 * rounded(product), tree)
    g_mean, c = g_sum / tree.columns, s / tree.columns
    of_g_mean = of_g_sum / tree.columns + rounded(g_mean)
    of_c = error / tree.columns + rounded(c)
    along, level = xhat * c, g - g_mean
    across = level - along
    of_across = (abs(xhat) * of_c + 3 * rounded(along) + rounded(g) + of_g_mean
                 + U * abs(level) + U * abs(across))
    rows = tree.depth_over_rows(len(x))
    dw = dy * xhat
    return {**with_residual(across * rstd, rstd * (of_across + U * abs(across)), dresidual_out),
            "dw": (over_rows(dw), (rows + 3) * U * over_rows(abs(dw))),
            "db": (over_rows(dy), rows * U * over_rows(abs(dy)))}


@formula("l2_normalize")
def l2_normalize(tree, x, eps):
    norm = np.sqrt(add_up(x * x))
    relative = ((tree.depth + 1) / 2 + 1) * U + np.where(norm < 2.0 ** -60, np.inf, 0)
    relative = np.where(norm < eps / 2, 0, relative)
    y = x / np.maximum(norm, eps)
    return {"y": (y, abs(y) * (relative + DIVIDE))}


class CrossEntropy:
    """What the loss and its gradient have in common."""

    def __init__(self, tree, x, target, weight, smoothing, z_loss, cap):
        self.capped = cap is not None
        v, of_v = x, 0.0
        if self.capped:
            self.tanh = np.tanh(x / cap)
            slope = 1 - self.tanh ** 2
            self.of_tanh = TANH * abs(self.tanh) + slope * DIVIDE * abs(x / cap)
            v, of_v = cap * self.tanh, cap * (self.of_tanh + U * abs(self.tanh))
            self.slope, self.of_slope = slope, 2 * self.of_tanh + 2 * U * (1 + abs(self.tanh))
        n = self.n = Normaliser(v, of_v, tree)
        at = target.astype(int)
        w = np.ones_like(x) if weight is None else weight + 0 * x
        self.w_target = np.take_along_axis(w, at, 1)
        nll = n.log - n.t
        of_nll = n.log_error + n.t_error + U * abs(nll)
        own = self.w_target * np.take_along_axis(nll, at, 1)
        of_own = (abs(self.w_target) * np.take_along_axis(of_nll, at, 1)
                  + (0 if weight is None else U * abs(own)))
        self.loss, self.of_loss = own, of_own
        self.keep = 1.0
        if smoothing is not None:
            self.share, self.keep = smoothing / tree.columns, 1 - smoothing
            all_terms, of_all = total(w * nll, abs(w) * of_nll + U * abs(w * nll), tree)
            others, kept = self.share * all_terms, self.keep * own
            self.loss = kept + others
            self.of_loss = (self.keep * of_own + 2 * U * abs(kept) + self.share * of_all
                            + 2 * U * abs(others) + U * abs(self.loss))
        if z_loss is not None:
            z = z_loss * n.lse ** 2
            of_z = 2 * z_loss * abs(n.lse) * n.lse_error + 2 * U * z
            self.loss = self.loss + z
            self.of_loss = self.of_loss + of_z + U * abs(self.loss)
        self.w = w

    def outputs(self, tree, divisor):
        rows = tree.depth_over_rows(len(self.loss)) * U
        parts, of_parts = self.loss, self.of_loss
        if divisor is not None:
            parts, of_parts = parts / divisor, of_parts / divisor + U * abs(parts / divisor)
        return {"loss": (self.loss, self.of_loss), "lse": (self.n.lse, self.n.lse_error),
                "total": (over_rows(parts), over_rows(of_parts) + rows * over_rows(abs(parts))),
                "weight_sum": (over_rows(self.w_target), rows * over_rows(abs(self.w_target)))}


@formula("cross_entropy")
def cross_entropy(tree, x, target, weight=None, smoothing=None, z_loss=None, cap=None,
                  divisor=None):
    return CrossEntropy(tree, x, target, weight, smoothing, z_loss, cap).outputs(tree, divisor)


@formula("target_count")
def target_count(tree, target):
    return {"divisor": (over_rows(add_up(target != -100)), 0.0)}


@formula("target_weights")
def target_weights(tree, target, weight):
    w = np.take_along_axis(weight, target.astype(int), 1)
    return {"divisor": (over_rows(w), tree.depth_over_rows(len(w)) * U * over_rows(abs(w)))}


@formula("cross_entropy_backward")
def cross_entropy_backward(tree, x, target, weight=None, dloss=None, smoothing=None,
                           z_loss=None, cap=None, divisor=None):
    c = CrossEntropy(tree, x, target, weight, smoothing, z_loss, cap)
    own = c.w_target * c.keep
    of_own = 0.0 if smoothing is None else 2 * U * abs(own)
    w_p, of_w_p = own, of_own
    if smoothing is not None:
        w_sum, of_w_sum = total(c.w, 0.0, tree)
        shared = c.share * w_sum
        w_p = own + shared
        of_w_p = of_own + c.share * of_w_sum + 2 * U * abs(shared) + U * abs(w_p)
    if z_loss is not None:
        of_z = 2 * z_loss * c.n.lse
        w_p = w_p + of_z
        of_w_p = (of_w_p + 2 * z_loss * c.n.lse_error + U * abs(of_z) + U * abs(w_p))
    d = c.n.p * w_p
    error = c.n.p_error * abs(w_p) + c.n.p * of_w_p + U * abs(d)
    is_target = np.arange(x.shape[1])[None, :] == target
    d = d - np.where(is_target, own, 0)
    error = error + np.where(is_target, of_own + U * abs(d), 0)
    if smoothing is not None:
        part = c.w * c.share
        d = d - part
        error = error + 2 * U * abs(part) + U * abs(d)
    if c.capped:
        error = error * c.slope + abs(d) * (c.of_slope + U * c.slope)
        d = d * c.slope
    found = c.outputs(tree, divisor)
    g, of_g = dloss, 0.0
    if divisor is not None:
        g, of_g = (1.0 if dloss is None else dloss) / divisor, U
    d, error = with_factor(d, error, g)
    found["dx"] = d, error + of_g * abs(d)
    return found


def is_log(log_target):
    return log_target is not None and bool(log_target)


@formula("kl_div")
def kl_div(tree, x, t, log_target=None):
    if is_log(log_target):
        p, difference = np.exp(t), t - x
        term = p * difference
        error = abs(term) * (exp_error(t) + 2 * U) + FLUSH * abs(difference)
    else:
        log = np.log(np.where(t > 0, t, 1))
        own, cross = t * log, t * x
        term = own - cross
        error = np.where(t > 0, t * log_error(log) + U * abs(own), 0) + U * (abs(cross) + abs(term))
    return {"loss": total(term, error, tree)}


@formula("kl_div_backward")
def kl_div_backward(tree, t, dloss, log_target=None):
    p, relative = (np.exp(t), exp_error(t)) if is_log(log_target) else (t, 0.0)
    return {"dx": (-p * dloss, abs(p * dloss) * (relative + U)
                   + (FLUSH * abs(dloss) if is_log(log_target) else 0))}


def mixture(x, t, beta):
    """q, p, m = beta p + (1 - beta) q and log m, with their relative errors, and log m's."""
    q, p = np.exp(x), np.exp(t)
    # Products with 1/2 are exact.
    shares = 0.0 if beta == 0.5 else U
    of_q, of_p = exp_error(x) + 2 * shares, exp_error(t) + shares
    m = beta * p + (1 - beta) * q
    of_m = (beta * p * of_p + (1 - beta) * q * of_q) / np.maximum(m, FLUSH) + U
    log = np.log(np.maximum(m, FLUSH))
    return q, p, of_q, of_p, log, of_m + log_error(log)


@formula("jsd")
def jsd(tree, x, t, beta=None):
    beta = 0.5 if beta is None else beta
    q, p, of_q, of_p, log, of_log = mixture(x, t, beta)
    term, error = 0.0, 0.0
    for part, of_part, own in ((beta * p, of_p, t), ((1 - beta) * q, of_q, x)):
        part = np.where(part > FLUSH / 2, part, 0)
        product = part * (own - log)
        term = term + product
        error = error + part * of_log + abs(product) * (of_part + 2 * U) + FLUSH * abs(own)
    return {"loss": total(term, error + U * abs(term), tree)}


@formula("jsd_backward")
def jsd_backward(tree, x, t, dloss, beta=None):
    beta = 0.5 if beta is None else beta
    q, _, of_q, _, log, of_log = mixture(x, t, beta)
    part = np.where(q > FLUSH / 2, (1 - beta) * q, 0)
    slope = part * (x - log)
    error = part * of_log + abs(slope) * (of_q + 2 * U) + FLUSH * abs(x)
    return {"dx": with_factor(slope, error, dloss)}


@formula("sum")
def row_sum(tree, x):
    return {"s": total(x, 0.0, tree)}


@formula("norm1")
def norm1(tree, x):
    return {"y": total(abs(x), 0.0, tree)}


@formula("mean")
def mean(tree, x):
    s, error = total(x, 0.0, tree)
    m = s / tree.columns
    return {"m": (m, error / tree.columns + U * abs(m))}


@formula("norm2")
def norm2(tree, x):
    y = np.sqrt(add_up(x * x))
    error = y * ((tree.depth + 1) / 2 + 1) * U
    # Squares may vanish below f32.
    return {"y": (y, error + np.where(y < 2.0 ** -60, tree.columns * 2.0 ** -74, 0))}


@formula("var")
def var(tree, x, correction=None):
    m = Moments(x, 0.0, tree)
    divisor = tree.columns - (1.0 if correction is None else correction)
    y = m.squares / divisor
    return {"y": (y, m.squares_error / divisor + 2 * U * y), "mean": (m.mean, m.mean_error)}


@formula("prod")
def prod(tree, x):
    """Each product rounds, but with a power of two."""
    y = np.prod(x.astype(np.longdouble), axis=-1, keepdims=True).astype(np.float64)
    count = (np.frexp(abs(x))[0] != 0.5).sum(axis=-1, keepdims=True)
    return {"y": (y, abs(y) * np.maximum(count - 1, 0) * U)}


EXTREMES = {"max": (np.max, "m"), "min": (np.min, "y"),
            "amax": (lambda x, **axes: np.max(abs(x), **axes), "y"),
            "any": (lambda x, **axes: (x != 0).any(**axes), "y"),
            "all": (lambda x, **axes: (x != 0).all(**axes), "y")}


def extreme(function, output):
    return lambda tree, x: {output: (function(x, axis=-1, keepdims=True) * 1.0, 0.0)}


for name, (function, output) in EXTREMES.items():
    FORMULAS[name] = extreme(function, output)


@formula("argmax")
def argmax(tree, x, sign=1):
    at = np.argmax(sign * x, axis=-1)[:, None]
    return {"column": (at * 1.0, 0.0), "value": (np.take_along_axis(x, at, 1), 0.0)}


@formula("argmin")
def argmin(tree, x):
    return argmax(tree, x, sign=-1)


# What is stored in 8 bits: unit roundoff, half the least subnormal, greatest number.
CODES = {"e4m3": (2.0 ** -4, 2.0 ** -10, 448.0), "e5m2": (2.0 ** -3, 2.0 ** -17, 57344.0),
         "int8": (0.0, 0.5, 127.0)}


def quantised(n, error, code, size=None, power_of_two=False, scale=None):
    """Codes' values and scales of n, which is `error` off, in groups of `size`."""
    unit, tiny, most = CODES[code]
    columns = n.shape[1]
    size = size or columns
    starts = np.arange(0, columns, size)
    found = {}
    of_scale = 0.0
    error = error + 0 * n
    if scale is None:
        amax = np.maximum.reduceat(abs(n), starts, axis=1)
        scales = np.maximum(amax / most, FLUSH)
        # Between the maxima of what the elements may be at least and at most.
        of_amax = np.maximum(np.maximum.reduceat(abs(n) + error, starts, axis=1) - amax,
                             amax - np.maximum.reduceat(abs(n) - error, starts, axis=1))
        of_scale = np.where(scales > FLUSH, of_amax / np.maximum(amax, FLUSH) + U, 0)
        if power_of_two:
            scales, of_scale = 2.0 ** np.ceil(np.log2(scales)), 0.0
        found["scale"] = (scales, scales * of_scale)
        scale = np.repeat(scales, size, axis=1)[:, :columns]
        of_scale = np.repeat(of_scale + 0 * scales, size, axis=1)[:, :columns]
    q = n / scale
    error = error / scale + abs(q) * (of_scale + DIVIDE)
    q = np.clip(q, -most, most)
    found["y"] = (q, error + np.maximum(unit * abs(q), tiny))
    return found


@formula("quantize_fp8")
def quantize_fp8(tree, x, code="e4m3"):
    return quantised(x, 0.0, code)


@formula("quantize_fp8_pow2")
def quantize_fp8_pow2(tree, x, code="e4m3"):
    return quantised(x, 0.0, code, power_of_two=True)


@formula("quantize_int8")
def quantize_int8(tree, x):
    return quantised(x, 0.0, "int8")


@formula("quantize_fp8_static")
def quantize_fp8_static(tree, x, scale, code="e4m3"):
    return quantised(x, 0.0, code, scale=scale)


@formula("quantize_fp8_groups")
def quantize_fp8_groups(tree, x, code="e4m3"):
    return quantised(x, 0.0, code, size=128)


@formula("quantize_fp8_groups_pow2")
def quantize_fp8_groups_pow2(tree, x, code="e4m3"):
    return quantised(x, 0.0, code, size=128, power_of_two=True)


def product_first(x, rstd, residual=None, weight=None, bias=None, offset=None):
    """What is lost where h (weight + offset), which is multiplied by rstd, is subnormal."""
    if weight is None and offset is None:
        return 0.0
    product = (x if residual is None else x + residual) * factor_of(weight, offset)[0]
    return rstd * np.where((product != 0) & (abs(product) < 2 * FLUSH), TINY, 0)


def norm_quantised(norm, size=None):
    """A norm that is stored in 8 bits."""
    def of(tree, x, eps, code="e4m3", **given):
        found = norm(tree, x, eps, **given)
        y, error = found["y"]
        if norm is rms_norm and size is None:
            error = error + product_first(x, found["rstd"][0], **given)
        return {**quantised(y, error, code, size), "residual_out": found["residual_out"]}
    return of


for norm in (rms_norm, layer_norm):
    FORMULAS[norm.__name__ + "_quantize_fp8"] = norm_quantised(norm)
    FORMULAS[norm.__name__ + "_quantize_fp8_groups"] = norm_quantised(norm, 128)
