# lib/Bindings/Python/quack_mlir/__init__.py - row reductions for Hopper, from Python
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row reductions compiled for NVIDIA Hopper.

    softmax = quack_mlir.compile("softmax")       # a kernel of the library, a text, or a path
    y = softmax(x)                                # torch, numpy, DLPack, __cuda_array_interface__

    quack_mlir.rms_norm(x, weight, eps=1e-6)      # torch: with gradients, under torch.compile

Arrays of numpy run in the simulator, without a GPU. Importing this makes no CUDA context and
does not import torch.
"""

from typing import Any, List

from . import cache
from ._kernel import Kernel, Operand, simulate
from ._library import CompileError, Diagnostic, QuackError, version
from ._programs import Raised, compile, compile_linalg, library

__version__: str = version().decode()

_OPS = (
    "softmax",
    "log_softmax",
    "logsumexp",
    "rms_norm",
    "layer_norm",
    "cross_entropy",
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
    "library",
    "simulate",
    *_OPS,
]


def __getattr__(name: str) -> Any:
    if name not in _OPS:
        raise AttributeError(f"module 'quack_mlir' has no attribute {name!r}")
    # The functions on torch tensors import torch when they are asked for.
    from . import ops

    return getattr(ops, name)


def __dir__() -> List[str]:
    return sorted([*globals(), *_OPS])
