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


class Operator:
    """An operator of torch, torch.ops.quack_mlir.<name>, and the quick way to it.

    It is defined twice: torch's generic support for gradients takes tens of microseconds a
    call, even where none is asked for. `_name` has no gradient; calls of this object go there
    at once, or through a function whose gradient is the same as the operator's.
    """

    def __init__(self, schema: str, implementation: Callable, fake: Callable) -> None:
        self.name = schema.partition("(")[0]
        for name in (self.name, f"_{self.name}"):
            definitions.define(
                name + schema[len(self.name) :], tags=(torch.Tag.pt2_compliant_tag,)
            )
            definitions.impl(name, implementation, "CUDA")
            definitions.impl(name, implementation, "CPU")
            torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=definitions)
        self.plain = getattr(getattr(torch.ops, NAMESPACE), f"_{self.name}").default
        self._apply: Optional[Callable] = None

    def __call__(self, *arguments: Any) -> Any:
        if self._apply is not None and torch.is_grad_enabled():
            for argument in arguments:
                if isinstance(argument, Tensor) and argument.requires_grad:
                    return self._apply(*arguments)
        return self.plain(*arguments)

    def differentiate(self, backward: Callable, setup: Callable) -> None:
        """Gives it a gradient, as of torch.autograd.Function with `setup_context`."""
        torch.library.register_autograd(
            f"{NAMESPACE}::{self.name}", backward, setup_context=setup, lib=definitions
        )
        plain = self.plain

        # Not a `setup_context` of the function's own: torch would bind arguments by name.
        def forward(ctx, *arguments):
            output = plain(*arguments)
            setup(ctx, arguments, output)
            return output

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        function = type(f"{self.name}_function", (torch.autograd.Function,), members)
        self._apply = function.apply


def define(schema: str, fake: Callable) -> Callable[[Callable], Operator]:
    """Defines the operator that the decorated function implements.

    `fake` returns tensors of the shapes and types of the results.
    """
    return lambda implementation: Operator(schema, implementation, fake)


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
    return x if x is None or x.is_contiguous() else x.contiguous()


def rows_like(x: Tensor, dtype: Optional[torch.dtype] = None) -> Tensor:
    """Returns a tensor of the shape of `x`, contiguous, with any contents."""
    return torch.empty_like(x, dtype=dtype, memory_format=torch.contiguous_format)


def scalars_like(x: Tensor) -> Tensor:
    """Returns one f32 for each row of `x`, with any contents."""
    return x.new_empty(x.shape[:-1], dtype=torch.float32)


def nothing_like(x: Tensor) -> Tensor:
    """Returns what stands for a result that there is not."""
    return x.new_empty(0, dtype=torch.float32)


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
