# lib/Bindings/Python/quack_mlir/_ops_loss.py - cross-entropy
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cross_entropy with its gradient."""

from typing import Optional, Tuple

import torch

from ._ops_common import (
    Tensor,
    check_columns,
    check_number,
    check_rows,
    check_shape,
    define,
    differentiate,
    kernel,
    nothing_like,
    rows_like,
    rows_of,
    scalars_like,
    scalars_of,
    shared_of,
)

_OPTIONS = "int ignore_index, float smoothing, float z_loss, float cap"


def _single_like(x: Tensor) -> Tensor:
    return torch.empty((), dtype=torch.float32, device=x.device)


def _or_none(number: float) -> Optional[float]:
    return number or None


def _divisor(target: Tensor, weight: Optional[Tensor], ignore_index: int) -> Tensor:
    """Returns the rows that count, or the sum of their classes' weights."""
    divisor = _single_like(target)
    if weight is None:
        rows = target.unsqueeze(-1)  # rows of one column: any number of them is one kernel
        kernel("target_count").call_torch((rows, divisor, ignore_index))
        return divisor
    rows = weight.contiguous().expand(*target.shape, weight.shape[0])
    kernel("target_weights").call_torch((target, rows, divisor, ignore_index))
    return divisor


# The losses of the rows, their sum divided by the divisor, and that.


def _forward_results(x: Tensor, total: bool, mean: bool) -> Tuple[Tensor, Tensor, Tensor]:
    sum_, divisor = nothing_like(x), nothing_like(x)
    if total:
        sum_ = _single_like(x)
    if mean:
        divisor = _single_like(x)
    return scalars_like(x), sum_, divisor


@define(
    "cross_entropy_forward(Tensor x, Tensor target, Tensor? weight, bool total, bool mean, "
    f"{_OPTIONS}) -> (Tensor, Tensor, Tensor)",
    lambda x, target, weight, total, mean, *options: _forward_results(x, total, mean),
)
def _cross_entropy_forward(
    x, target, weight, total, mean, ignore_index, smoothing, z_loss, cap
):
    x, target, weight = rows_of(x), scalars_of(target), shared_of(weight)
    loss, sum_, divisor = _forward_results(x, total, False)
    if mean:
        divisor = _divisor(target, weight, ignore_index)
    kernel("cross_entropy").call_torch(
        (
            x,
            target,
            weight,
            loss,
            None,
            divisor if mean else None,
            sum_ if total else None,
            None,
            ignore_index,
            _or_none(smoothing),
            _or_none(z_loss),
            _or_none(cap),
        )
    )
    return loss, sum_, divisor


@define(
    "cross_entropy_backward(Tensor x, Tensor target, Tensor? weight, Tensor dloss, "
    f"Tensor? divisor, {_OPTIONS}) -> Tensor",
    lambda x, *others: rows_like(x),
)
def _cross_entropy_backward(
    x, target, weight, dloss, divisor, ignore_index, smoothing, z_loss, cap
):
    x, dx = rows_of(x), rows_like(x)
    kernel("cross_entropy_backward").call_torch(
        (
            x,
            scalars_of(target),
            shared_of(weight),
            scalars_of(dloss),
            dx,
            None,
            None,
            divisor,
            None,
            ignore_index,
            _or_none(smoothing),
            _or_none(z_loss),
            _or_none(cap),
        )
    )
    return dx


def _save(ctx, inputs, output):
    x, target, weight, ctx.has_total, ctx.is_mean, *ctx.options = inputs
    loss, total, divisor = output
    ctx.mark_non_differentiable(loss if ctx.has_total else total, divisor)
    ctx.save_for_backward(x, target, weight, divisor)
    ctx.set_materialize_grads(False)


def _differentiate(ctx, dloss, dtotal, ddivisor):
    x, target, weight, divisor = ctx.saved_tensors
    if ctx.has_total:
        dloss = dtotal
    if dloss is None:
        return (None,) * 9
    if ctx.has_total:
        dloss = dloss.expand(target.shape)
    divisor = divisor if ctx.is_mean else None
    dx = _cross_entropy_backward(x, target, weight, dloss, divisor, *ctx.options)
    return (dx, *(None,) * 8)


differentiate("cross_entropy_forward", _differentiate, _save)


def cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    softcap: float = 0.0,
) -> Tensor:
    """The cross-entropy of logits with the columns of their targets.

    x: [..., N], f32, bf16 or f16. target: [...] of int64, each in [0, N) or ignore_index,
    else the loss is NaN. weight: [N], of any float type, without a gradient. Returns the mean
    or the sum, an f32, or with reduction "none" the loss of each row, [...] in f32. z_loss
    adds z_loss * logsumexp^2; softcap makes c * tanh(x / c) of the logits first. The gradient
    is of x, of its type.
    """
    name = "cross_entropy"
    check_rows(name, "x", x)
    if target.dtype != torch.int64:
        raise TypeError(f"{name}: target must be of int64, got {target.dtype}")
    check_shape(name, "target", target, x.shape[:-1])
    check_columns(name, x, {"weight": weight})
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{name}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}"
        )
    smoothing = check_number(name, "label_smoothing", label_smoothing, 0.0)
    if smoothing > 1.0:
        raise ValueError(f"{name}: label_smoothing must be at most 1.0, got {smoothing}")
    loss, total, _ = _cross_entropy_forward(
        x,
        target,
        weight,
        reduction != "none",
        reduction == "mean",
        int(ignore_index),
        smoothing,
        check_number(name, "z_loss", z_loss, 0.0),
        check_number(name, "softcap", softcap, 0.0),
    )
    return loss if reduction == "none" else total
