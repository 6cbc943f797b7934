# lib/Bindings/Python/quack_mlir/_ops_loss.py - cross-entropy
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cross_entropy with its gradient."""

import operator
from typing import Any, Optional

import torch

from ._ops_common import (
    Tensor,
    check_shape,
    define,
    kernel,
    number_of,
    rows_like,
    rows_of,
    scalars_like,
    scalars_of,
    shared_of,
)

_OPTIONS = "int ignore_index, float smoothing, float z_loss, float cap"


def _single_like(x: Tensor) -> Tensor:
    return x.new_empty((), dtype=torch.float32)


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


def _results(x, total, mean):
    """Returns the rows' losses, their sum divided by the divisor, and that; None for those
    not asked for."""
    return (
        scalars_like(x),
        _single_like(x) if total else None,
        _single_like(x) if mean else None,
    )


@define(
    "cross_entropy(Tensor x, Tensor target, Tensor? weight, bool total, bool mean, "
    f"{_OPTIONS}) -> (Tensor, Tensor, Tensor)",
    lambda x, target, weight, total, mean, *options: _results(x, total, mean),
)
def _cross_entropy(x, target, weight, total, mean, ignore_index, smoothing, z_loss, cap):
    target = scalars_of(target)
    loss, sum_, _ = _results(x, total, False)
    if mean and loss.numel() == 0:  # as of rows that are all ignored
        return loss, sum_.fill_(torch.nan), _single_like(x)
    divisor = _divisor(target, weight, ignore_index) if mean else None
    kernel("cross_entropy").call_torch(
        (
            rows_of(x),
            target,
            shared_of(weight),
            loss,
            None,
            divisor,
            sum_,
            None,
            ignore_index,
            smoothing or None,
            z_loss or None,
            cap or None,
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
    dx = rows_like(x)
    kernel("cross_entropy_backward").call_torch(
        (
            rows_of(x),
            scalars_of(target),
            shared_of(weight),
            scalars_of(dloss),
            dx,
            None,
            None,
            divisor,
            None,
            ignore_index,
            smoothing or None,
            z_loss or None,
            cap or None,
        )
    )
    return dx


def _save(ctx, inputs, output):
    x, target, weight, ctx.has_total, ctx.is_mean, *ctx.options = inputs
    loss, total, divisor = output
    others = (loss if ctx.has_total else total, divisor)
    ctx.mark_non_differentiable(*(tensor for tensor in others if tensor is not None))
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


_cross_entropy.differentiate(_differentiate, _save)


def _index_of(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"cross_entropy: ignore_index must be an integer, got {type(value).__name__}"
        ) from None


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
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"cross_entropy: reduction must be 'mean', 'sum' or 'none', got {reduction!r}"
        )
    name = "cross_entropy"
    smoothing = number_of(name, "label_smoothing", label_smoothing, 0)
    if smoothing > 1:
        raise ValueError(f"{name}: label_smoothing must be at most 1, got {smoothing}")
    if isinstance(target, Tensor) and isinstance(x, Tensor):
        check_shape(name, "target", target, x.shape[:-1])
    if weight is not None and torch.is_grad_enabled() and weight.requires_grad:
        raise ValueError(f"{name}: weight has no gradient, and must not require one")
    loss, total, _ = _cross_entropy(
        x,
        target,
        weight,
        reduction != "none",
        reduction == "mean",
        _index_of(ignore_index),
        smoothing,
        number_of(name, "z_loss", z_loss, 0),
        number_of(name, "softcap", softcap, 0),
    )
    return loss if reduction == "none" else total
