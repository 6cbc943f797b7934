# lib/Bindings/Python/quack_mlir/_ops_softmax.py - softmax and its relatives
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax, log_softmax, logsumexp."""

from ._ops_common import (
    Operator,
    Tensor,
    define,
    kernel,
    rows_like,
    rows_of,
    scalars_like,
    scalars_of,
)


def _define_softmax(name: str) -> Operator:
    """Defines softmax or log_softmax, whose gradients are functions of y and dy."""

    @define(f"{name}(Tensor x) -> Tensor", rows_like)
    def call(x: Tensor) -> Tensor:
        x, y = rows_of(x), rows_like(x)
        kernel(name).call_torch((x, None, y, None))
        return y

    @define(f"{name}_backward(Tensor y, Tensor dy) -> Tensor", lambda y, dy: rows_like(y))
    def call_backward(y: Tensor, dy: Tensor) -> Tensor:
        dx = rows_like(y)
        kernel(f"{name}_backward").call_torch((rows_of(y), rows_of(dy), dx, None))
        return dx

    def setup(ctx, inputs, output):
        ctx.save_for_backward(output)

    call.differentiate(lambda ctx, dy: call_backward(*ctx.saved_tensors, dy), setup)
    return call


_softmax = _define_softmax("softmax")
_log_softmax = _define_softmax("log_softmax")


@define("logsumexp(Tensor x) -> Tensor", scalars_like)
def _logsumexp(x: Tensor) -> Tensor:
    x, lse = rows_of(x), scalars_like(x)
    kernel("logsumexp").call_torch((x, None, lse, None))
    return lse


@define(
    "logsumexp_backward(Tensor x, Tensor lse, Tensor dlse) -> Tensor",
    lambda x, lse, dlse: rows_like(x),
)
def _logsumexp_backward(x: Tensor, lse: Tensor, dlse: Tensor) -> Tensor:
    x, dx = rows_of(x), rows_like(x)
    kernel("logsumexp_backward").call_torch(
        (x, None, scalars_of(lse), scalars_of(dlse), dx, None)
    )
    return dx


def _save_logsumexp(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], output)


_logsumexp.differentiate(
    lambda ctx, dlse: _logsumexp_backward(*ctx.saved_tensors, dlse), _save_logsumexp
)


def softmax(x: Tensor) -> Tensor:
    """exp(x - max) / sum exp(x - max) over the last dimension.

    x: [..., N], f32, bf16 or f16. Returns [..., N] of x's type, computed in f32.
    """
    return _softmax(x)


def log_softmax(x: Tensor) -> Tensor:
    """x - max - log sum exp(x - max) over the last dimension.

    x: [..., N], f32, bf16 or f16. Returns [..., N] of x's type, computed in f32.
    """
    return _log_softmax(x)


def logsumexp(x: Tensor) -> Tensor:
    """max + log sum exp(x - max) over the last dimension.

    x: [..., N], f32, bf16 or f16. Returns [...] in f32.
    """
    return _logsumexp(x)
