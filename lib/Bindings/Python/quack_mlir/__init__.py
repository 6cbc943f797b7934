# lib/Bindings/Python/quack_mlir/__init__.py - row reductions for Hopper, from Python
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row reductions compiled for NVIDIA Hopper.

    softmax = quack_mlir.compile("softmax")       # a kernel of the library, a text, or a path
    y = softmax(x)                                # torch, numpy, DLPack, __cuda_array_interface__

    quack_mlir.rms_norm(x, weight, eps=1e-6)      # torch: with gradients, under torch.compile

Arrays of numpy run in the simulator, without a GPU. Importing this makes no CUDA context and
does not import torch.
"""

from typing import TYPE_CHECKING, Any, List

from . import cache
from ._kernel import Kernel, Operand, simulate
from ._library import CompileError, Diagnostic, QuackError, version
from ._programs import Raised, compile, compile_linalg, library

if TYPE_CHECKING:
    from .ops import cross_entropy, layer_norm, log_softmax, logsumexp, rms_norm, softmax

__version__: str = version().decode()

_OPS = (
    "cross_entropy",
    "layer_norm",
    "log_softmax",
    "logsumexp",
    "rms_norm",
    "softmax",
)

__all__ = [
    "CompileError",
    "Diagnostic",
    "Kernel",
    "Operand",
    "QuackError",
    "Raised",
    "cache",
    "compile",
    "compile_linalg",
    "cross_entropy",
    "layer_norm",
    "library",
    "log_softmax",
    "logsumexp",
    "rms_norm",
    "simulate",
    "softmax",
]


def __getattr__(name: str) -> Any:
    if name not in _OPS:
        raise AttributeError(f"module 'quack_mlir' has no attribute {name!r}")
    # The functions on torch tensors import torch when they are asked for.
    from . import ops

    globals()[name] = getattr(ops, name)
    return globals()[name]


def __dir__() -> List[str]:
    return sorted([*globals(), *_OPS])
