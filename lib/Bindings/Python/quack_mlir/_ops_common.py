# lib/Bindings/Python/quack_mlir/_ops_common.py - how operators are defined
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the operators of torch have in common: definition, checks, outputs.

An operator has one implementation for GPU tensors, which launches on torch's current stream,
and is the same on the CPU within `simulate()`. None writes its inputs.
"""

import functools
from typing import Any, Callable, Dict, Optional, Sequence

import torch

from . import _kernel, _programs

NAMESPACE = "quack_mlir"
definitions = torch.library.Library(NAMESPACE, "DEF")
Tensor = torch.Tensor

FLOATS = (torch.float32, torch.bfloat16, torch.float16)


@functools.lru_cache(maxsize=None)
def kernel(name: str) -> _kernel.Kernel:
    """Returns a kernel of the library."""
    return _kernel.Kernel(_programs.text_of(name), None, f"{name}.mlir")


def define(schema: str, fake: Callable) -> Callable:
    """Defines the operator that the decorated function implements.

    `fake` returns tensors of the shapes and types of the results.
    """

    def decorate(implementation: Callable) -> Callable:
        name = schema.partition("(")[0]
        definitions.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
        definitions.impl(name, implementation, "CUDA")
        definitions.impl(name, implementation, "CPU")
        torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=definitions)
        return getattr(getattr(torch.ops, NAMESPACE), name).default

    return decorate


def differentiate(name: str, backward: Callable, setup: Callable) -> None:
    """Gives an operator a gradient."""
    torch.library.register_autograd(
        f"{NAMESPACE}::{name}", backward, setup_context=setup, lib=definitions
    )


def rows_of(x: Tensor) -> Tensor:
    """Returns `x`, or a contiguous copy where a kernel cannot address its rows.

    Columns must lie side by side, and one stride must span the leading dimensions.
    """
    if x.is_contiguous():
        return x
    strides, shape = x.stride(), x.shape
    if strides[-1] != 1 and shape[-1] != 1:
        return x.contiguous()
    outer = [(s, e) for s, e in zip(strides[:-1], shape[:-1]) if e != 1]
    for (stride, _), (inner, extent) in zip(outer, outer[1:]):
        if stride != inner * extent:
            return x.contiguous()
    return x


def scalars_of(x: Tensor) -> Tensor:
    """Returns one number a row, or a contiguous copy, as `rows_of` does."""
    return x if x.is_contiguous() else rows_of(x.unsqueeze(-1)).squeeze(-1)


def shared_of(x: Optional[Tensor]) -> Optional[Tensor]:
    """Returns what all rows share, one element after the other."""
    return x if x is None else x.contiguous()


def rows_like(x: Tensor, dtype: Optional[torch.dtype] = None) -> Tensor:
    """Returns a tensor of the shape of `x`, contiguous, with any contents."""
    return torch.empty(x.shape, dtype=dtype or x.dtype, device=x.device)


def scalars_like(x: Tensor) -> Tensor:
    """Returns one f32 for each row of `x`, with any contents."""
    return torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)


def nothing_like(x: Tensor) -> Tensor:
    """Returns what stands for a result that there is not."""
    return torch.empty(0, dtype=torch.float32, device=x.device)


def needs_gradient(*tensors: Optional[Tensor]) -> bool:
    return torch.is_grad_enabled() and any(
        tensor is not None and tensor.requires_grad for tensor in tensors
    )


# What callers can do wrong


def check_rows(name: str, argument: str, x: Any) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}: {argument} must be a torch.Tensor, got {type(x).__name__}")
    if x.dtype not in FLOATS:
        raise TypeError(
            f"{name}: {argument} must be of float32, bfloat16 or float16, got {x.dtype}"
        )
    if x.dim() == 0 or x.shape[-1] == 0:
        raise ValueError(
            f"{name}: {argument} must be [..., columns] with columns, got {list(x.shape)}"
        )


def check_columns(name: str, x: Tensor, shared: Dict[str, Optional[Tensor]]) -> None:
    """Checks tensors that have one element for each column of `x`."""
    for argument, tensor in shared.items():
        if tensor is None:
            continue
        if tensor.dtype not in FLOATS:
            raise TypeError(
                f"{name}: {argument} must be of float32, bfloat16 or float16, got "
                f"{tensor.dtype}"
            )
        if tensor.shape != x.shape[-1:]:
            raise ValueError(
                f"{name}: {argument} must be [{x.shape[-1]}], as x has that many columns, "
                f"got {list(tensor.shape)}"
            )


def check_shape(name: str, argument: str, x: Tensor, shape: Sequence[int]) -> None:
    if list(x.shape) != list(shape):
        raise ValueError(f"{name}: {argument} must be {list(shape)}, got {list(x.shape)}")


def check_number(name: str, argument: str, value: Any, least: Optional[float] = None) -> float:
    """Returns the number as a float, so that no type of number makes another kernel."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: {argument} must be a number, got {type(value).__name__}"
        ) from None
    if least is not None and not number >= least:
        raise ValueError(f"{name}: {argument} must be at least {least}, got {number}")
    return number
