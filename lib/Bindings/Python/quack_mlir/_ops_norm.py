# lib/Bindings/Python/quack_mlir/_ops_norm.py - RMSNorm and LayerNorm
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rms_norm and layer_norm, with an addition before them and with gradients."""

from typing import Optional, Tuple, Union

import torch

from ._ops_common import (
    FLOATS,
    Tensor,
    check_shape,
    define,
    kernel,
    needs_gradient,
    number_of,
    rows_like,
    rows_of,
    scalars_like,
    scalars_of,
    shared_of,
)


def _results(x, sum_type, statistics, statistics_count):
    """Returns y, residual_out, and (mean and) rstd; None for those not asked for."""
    total = None if sum_type is None else rows_like(x, sum_type)
    more = [scalars_like(x) if statistics else None for _ in range(statistics_count)]
    return (rows_like(x), total, *more)


def _backward_results(x, weight, residual_type, bias_type):
    """Returns dx, dresidual, dw and db; None for those not asked for."""
    return (
        rows_like(x),
        None if residual_type is None else rows_like(x, residual_type),
        None if weight is None else torch.empty_like(weight),
        None if bias_type is None else x.new_empty(x.shape[-1:], dtype=bias_type),
    )


@define(
    "rms_norm(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, "
    "float offset, ScalarType? sum_type, bool statistics) -> (Tensor, Tensor, Tensor)",
    lambda x, residual, weight, bias, eps, offset, sum_type, statistics: _results(
        x, sum_type, statistics, statistics_count=1
    ),
)
def _rms_norm(x, residual, weight, bias, eps, offset, sum_type, statistics):
    y, total, rstd = results = _results(x, sum_type, statistics, statistics_count=1)
    kernel("rms_norm").call_torch(
        (
            rows_of(x),
            None if residual is None else rows_of(residual),
            shared_of(weight),
            shared_of(bias),
            y,
            total,
            rstd,
            eps,
            offset or None,
        )
    )
    return results


@define(
    "layer_norm(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, "
    "ScalarType? sum_type, bool statistics) -> (Tensor, Tensor, Tensor, Tensor)",
    lambda x, residual, weight, bias, eps, sum_type, statistics: _results(
        x, sum_type, statistics, statistics_count=2
    ),
)
def _layer_norm(x, residual, weight, bias, eps, sum_type, statistics):
    y, total, mean, rstd = results = _results(x, sum_type, statistics, statistics_count=2)
    kernel("layer_norm").call_torch(
        (
            rows_of(x),
            None if residual is None else rows_of(residual),
            shared_of(weight),
            shared_of(bias),
            y,
            total,
            mean,
            rstd,
            eps,
        )
    )
    return results


# Gradients: x is what was normalised, the sum where there was a residual.


@define(
    "rms_norm_backward(Tensor dy, Tensor? dtotal, Tensor x, Tensor? weight, Tensor rstd, "
    "float offset, ScalarType x_type, ScalarType? residual_type, ScalarType? bias_type) -> "
    "(Tensor, Tensor, Tensor, Tensor)",
    lambda dy, dtotal, x, weight, rstd, offset, x_type, residual_type, bias_type: (
        _backward_results(dy, weight, residual_type, bias_type)
    ),
)
def _rms_norm_backward(
    dy, dtotal, x, weight, rstd, offset, x_type, residual_type, bias_type
):
    dx, dresidual, dw, db = results = _backward_results(
        dy, weight, residual_type, bias_type
    )
    kernel("rms_norm_backward").call_torch(
        (
            rows_of(x),
            shared_of(weight),
            rows_of(dy),
            None if dtotal is None else rows_of(dtotal),
            scalars_of(rstd),
            dx,
            dresidual,
            dw,
            db,
            offset or None,
        )
    )
    return results


@define(
    "layer_norm_backward(Tensor dy, Tensor? dtotal, Tensor x, Tensor? weight, Tensor mean, "
    "Tensor rstd, ScalarType x_type, ScalarType? residual_type, ScalarType? bias_type) -> "
    "(Tensor, Tensor, Tensor, Tensor)",
    lambda dy, dtotal, x, weight, mean, rstd, x_type, residual_type, bias_type: (
        _backward_results(dy, weight, residual_type, bias_type)
    ),
)
def _layer_norm_backward(
    dy, dtotal, x, weight, mean, rstd, x_type, residual_type, bias_type
):
    dx, dresidual, dw, db = results = _backward_results(
        dy, weight, residual_type, bias_type
    )
    kernel("layer_norm_backward").call_torch(
        (
            rows_of(x),
            shared_of(weight),
            rows_of(dy),
            None if dtotal is None else rows_of(dtotal),
            scalars_of(mean),
            scalars_of(rstd),
            dx,
            dresidual,
            dw,
            db,
        )
    )
    return results


def _save(ctx, x, residual, weight, bias, total, statistics):
    """Keeps what a gradient needs: the sum in place of x where there was a residual."""
    ctx.save_for_backward(x if residual is None else total, weight, *statistics)
    ctx.has_residual = residual is not None
    ctx.residual_type = None if residual is None else residual.dtype
    ctx.bias_type = None if bias is None else bias.dtype
    ctx.x_type = x.dtype
    ctx.set_materialize_grads(False)
    others = statistics if ctx.stores_sum else (*statistics, total)
    ctx.mark_non_differentiable(*(tensor for tensor in others if tensor is not None))


def _gradients(ctx, dy, dtotal, backward):
    """Returns the gradients of x, residual, weight and bias."""
    dtotal = dtotal if ctx.stores_sum else None
    needed = ctx.needs_input_grad
    x, weight, *statistics = ctx.saved_tensors
    if dy is None:
        dy = torch.zeros_like(x, dtype=ctx.x_type)
    residual_type = ctx.residual_type if needed[1] else None
    if residual_type == ctx.x_type:  # the same numbers: one tensor for both
        residual_type = None
    bias_type = ctx.bias_type if needed[3] else None
    dx, dresidual, dw, db = backward(
        dy, dtotal, x, weight, *statistics, ctx.x_type, residual_type, bias_type
    )
    if residual_type is None:
        dresidual = dx
    return (
        dx if needed[0] else None,
        dresidual if ctx.has_residual and needed[1] else None,
        dw if weight is not None and needed[2] else None,
        db if bias_type is not None else None,
    )


def _save_rms_norm(ctx, inputs, output):
    x, residual, weight, bias, _, ctx.offset, sum_type, _ = inputs
    ctx.stores_sum = sum_type is not None
    _, total, rstd = output
    _save(ctx, x, residual, weight, bias, total, (rstd,))


def _differentiate_rms_norm(ctx, dy, dtotal, drstd):
    def backward(dy, dtotal, x, weight, rstd, *types):
        return _rms_norm_backward(dy, dtotal, x, weight, rstd, ctx.offset, *types)

    return (*_gradients(ctx, dy, dtotal, backward), None, None, None, None)


_rms_norm.differentiate(_differentiate_rms_norm, _save_rms_norm)


def _save_layer_norm(ctx, inputs, output):
    x, residual, weight, bias, _, sum_type, _ = inputs
    ctx.stores_sum = sum_type is not None
    _, total, mean, rstd = output
    _save(ctx, x, residual, weight, bias, total, (mean, rstd))


def _differentiate_layer_norm(ctx, dy, dtotal, dmean, drstd):
    return (*_gradients(ctx, dy, dtotal, _layer_norm_backward), None, None, None)


_layer_norm.differentiate(_differentiate_layer_norm, _save_layer_norm)


# What users call


def _sum_type(name, x, residual, residual_dtype, prenorm, statistics):
    """Returns the type in which x + residual is stored; None if it is not."""
    if isinstance(residual, Tensor) and isinstance(x, Tensor):
        check_shape(name, "residual", residual, x.shape)
    if residual_dtype is not None and residual_dtype not in FLOATS:
        raise TypeError(
            f"{name}: residual_dtype must be float32, bfloat16 or float16, got "
            f"{residual_dtype}"
        )
    if not prenorm and (residual is None or not statistics):
        return None
    if residual_dtype is not None:
        return residual_dtype
    return x.dtype if residual is None else residual.dtype


def rms_norm(
    x: Tensor,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    residual: Optional[Tensor] = None,
    eps: float = 1e-6,
    *,
    offset: float = 0.0,
    residual_dtype: Optional[torch.dtype] = None,
    prenorm: bool = False,
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    """h * rstd * (weight + offset) + bias, with h = x + residual and
    rstd = 1 / sqrt(mean(h^2) + eps) over the last dimension.

    x: [..., N], f32, bf16 or f16. residual: as x, of any of these types. weight, bias: [N],
    of any of these types. Returns y, [..., N] of x's type; with `prenorm` also h, [..., N]
    of residual_dtype, or else the residual's type, or else x's. All is computed in f32.
    Gradients: of x, residual, weight and bias, each in its own type.
    """
    eps = number_of("rms_norm", "eps", eps, 0)
    offset = number_of("rms_norm", "offset", offset)
    statistics = needs_gradient(x, residual, weight, bias)
    sum_type = _sum_type("rms_norm", x, residual, residual_dtype, prenorm, statistics)
    y, total, _ = _rms_norm(
        x, residual, weight, bias, eps, offset, sum_type, statistics
    )
    return (y, total) if prenorm else y


def layer_norm(
    x: Tensor,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    residual: Optional[Tensor] = None,
    eps: float = 1e-5,
    *,
    residual_dtype: Optional[torch.dtype] = None,
    prenorm: bool = False,
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    """(h - mean) * rstd * weight + bias, with h = x + residual and
    rstd = 1 / sqrt(var(h) + eps) over the last dimension.

    x: [..., N], f32, bf16 or f16. residual: as x, of any of these types. weight, bias: [N],
    of any of these types. Returns y, [..., N] of x's type; with `prenorm` also h, [..., N]
    of residual_dtype, or else the residual's type, or else x's. All is computed in f32.
    Gradients: of x, residual, weight and bias, each in its own type.
    """
    eps = number_of("layer_norm", "eps", eps, 0)
    statistics = needs_gradient(x, residual, weight, bias)
    sum_type = _sum_type("layer_norm", x, residual, residual_dtype, prenorm, statistics)
    y, total, _, _ = _layer_norm(x, residual, weight, bias, eps, sum_type, statistics)
    return (y, total) if prenorm else y
