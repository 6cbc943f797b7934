# lib/Bindings/Python/quack_mlir/_ops_common.py - how operators are defined
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the operators of torch have in common: definition, checks, outputs.

An operator has one implementation for GPU tensors, which launches on torch's current stream,
and is the same on the CPU within `simulate()`. None writes its inputs.
"""

import functools
from typing import Any, Callable, Dict, Optional, Sequence

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _kernel, _programs

NAMESPACE = "quack_mlir"
definitions = torch.library.Library(NAMESPACE, "DEF")

FLOATS = (torch.float32, torch.bfloat16, torch.float16)


@functools.lru_cache(maxsize=None)
def kernel(name: str) -> _kernel.Kernel:
    """Returns a kernel of the library."""
    return _kernel.Kernel(_programs.text_of(name), None, f"{name}.mlir")


def is_plain(*tensors: Any) -> bool:
    """Returns whether nobody but the dispatcher would see a call: no compiler, no mode, no
    function transform, no tangents, no subclass of Tensor, no shapes alone."""
    if (
        torch.compiler.is_compiling()
        or torch._C._len_torch_dispatch_stack()
        or torch._C._functorch.peek_interpreter_stack() is not None
        or forward_ad._current_level >= 0
    ):
        return False
    for tensor in tensors:
        if isinstance(tensor, Tensor) and type(tensor) not in _PLAIN:
            return False
    # Of another tensor without memory the implementation says that it has none.
    return not getattr(tensors[0], "is_meta", False)


_PLAIN = (Tensor, torch.nn.Parameter)


class Operator:
    """An operator of torch, torch.ops.quack_mlir.<name>, and the quick way to it.

    Torch's dispatcher and its generic support for gradients take tens of microseconds a call.
    Where nobody else would see the call, this object calls the implementation itself, or
    through a function whose gradient is the same as the operator's.

    An implementation returns None for results that are not asked for; of the operator these
    are empty tensors.
    """

    def __init__(self, schema: str, implementation: Callable, fake: Callable) -> None:
        self.implementation = implementation
        self.name = schema.partition("(")[0]
        definitions.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
        filled = functools.partial(_fill, implementation)
        definitions.impl(self.name, filled, "CUDA")
        definitions.impl(self.name, filled, "CPU")
        torch.library.register_fake(
            f"{NAMESPACE}::{self.name}", functools.partial(_fill, fake), lib=definitions
        )
        self.operator = getattr(getattr(torch.ops, NAMESPACE), self.name).default
        self._apply: Optional[Callable] = None

    def __call__(self, *arguments: Any) -> Any:
        if not is_plain(*arguments):
            self._refuse_tangents(arguments)
            return self.operator(*arguments)
        try:
            if self._apply is not None and torch.is_grad_enabled():
                for argument in arguments:
                    if isinstance(argument, Tensor) and argument.requires_grad:
                        return self._apply(*arguments)
            return self.implementation(*arguments)
        except (AttributeError, TypeError):
            self._check_tensors(arguments)
            raise

    def _check_tensors(self, arguments: tuple) -> None:
        for parameter, value in zip(self.operator._schema.arguments, arguments):
            kind = str(parameter.type)
            is_fine = isinstance(value, Tensor) or (value is None and kind != "Tensor")
            if "Tensor" in kind and not is_fine:
                raise TypeError(
                    f"{self.name}: {parameter.name} must be a torch.Tensor, got "
                    f"{type(value).__name__}"
                ) from None

    def _refuse_tangents(self, arguments: tuple) -> None:
        """Torch would drop them, and say nothing."""
        if torch.compiler.is_compiling() or forward_ad._current_level < 0:
            return
        for argument in arguments:
            if not isinstance(argument, Tensor):
                continue
            if forward_ad.unpack_dual(argument).tangent is not None:
                raise NotImplementedError(
                    f"quack_mlir: {self.name} has no forward-mode gradient"
                )

    def differentiate(self, backward: Callable, setup: Callable) -> None:
        """Gives it a gradient, as of torch.autograd.Function with `setup_context`."""
        once = _differentiate_once(self.name, backward)
        torch.library.register_autograd(
            f"{NAMESPACE}::{self.name}", once, setup_context=setup, lib=definitions
        )
        implementation = self.implementation

        # Not a `setup_context` of the function's own: torch would bind arguments by name.
        def forward(ctx, *arguments):
            output = implementation(*arguments)
            setup(ctx, arguments, output)
            return output

        members = {"forward": staticmethod(forward), "backward": staticmethod(once)}
        function: Any = type(self.name, (torch.autograd.Function,), members)
        self._apply = function.apply


class _Last(torch.autograd.Function):
    """A gradient that is not a constant, but of which nobody has the gradient."""

    @staticmethod
    def forward(ctx, gradient, name, *causes):
        ctx.name = name
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx, *gradients):
        raise RuntimeError(f"quack_mlir: {ctx.name} has no gradient of a gradient")


def _differentiate_once(name: str, backward: Callable) -> Callable:
    """Returns `backward`, to differentiate whose results is an error.

    Torch's own once_differentiable leaves them constants where the gradients that come in
    are: a penalty on gradients would be wrong without a word.
    """

    def once(ctx, *gradients):
        if not torch.is_grad_enabled():
            return backward(ctx, *gradients)
        with torch.no_grad():
            results = backward(ctx, *gradients)
        saved = (*ctx.saved_tensors, *gradients)
        causes = [tensor for tensor in saved if tensor is not None and tensor.requires_grad]
        return _map(
            lambda result: result if result is None else _Last.apply(result, name, *causes),
            results,
        )

    return once


def _map(function: Callable, results: Any) -> Any:
    if isinstance(results, tuple):
        return tuple(map(function, results))
    return function(results)


def _fill(function: Callable, *arguments: Any) -> Any:
    """Returns what `function` does, with empty tensors in place of None."""
    results = function(*arguments)
    if not isinstance(results, tuple):
        return results
    model = next(result for result in results if result is not None)
    return tuple(
        model.new_empty(0, dtype=torch.float32) if result is None else result
        for result in results
    )


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


def needs_gradient(*tensors: Optional[Tensor]) -> bool:
    return torch.is_grad_enabled() and any(
        isinstance(tensor, Tensor) and tensor.requires_grad for tensor in tensors
    )


# What callers can do wrong that no kernel sees


def number_of(name: str, argument: str, value: Any, least: Optional[float] = None) -> float:
    """Returns a float, so that no type of number makes another kernel."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: {argument} must be a number, got {type(value).__name__}"
        ) from None
    if least is not None and not number >= least:
        raise ValueError(f"{name}: {argument} must be at least {least}, got {number}")
    return number


def check_shape(name: str, argument: str, tensor: Tensor, shape: Sequence[int]) -> None:
    """Kernels see rows: not how leading dimensions make them."""
    if tensor.shape != shape:
        raise ValueError(f"{name}: {argument} must be {list(shape)}, got {list(tensor.shape)}")
