# lib/Bindings/Python/quack_mlir/ops.py - functions on torch tensors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions on torch tensors, which are operators of torch (torch.ops.quack_mlir)."""

import torch

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    raise ImportError(
        "quack_mlir's functions on torch tensors need torch 2.4 or later, got "
        f"{torch.__version__}; what quack_mlir.compile returns takes tensors of any version"
    )

# pylint: disable=wrong-import-position
from ._ops_loss import cross_entropy
from ._ops_norm import layer_norm, rms_norm
from ._ops_softmax import log_softmax, logsumexp, softmax

__all__ = [
    "cross_entropy",
    "layer_norm",
    "log_softmax",
    "logsumexp",
    "rms_norm",
    "softmax",
]
