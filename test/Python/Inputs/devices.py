# test/Python/Inputs/devices.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tests of torch run: in the simulator, or on the device that
QUACK_TEST_DEVICE names (tools/dev/python-gpu.py)."""

import contextlib
import os

import quack_mlir
import torch

DEVICE = os.environ.get("QUACK_TEST_DEVICE", "cpu")


def started():
    """Returns what tests run within."""
    torch.manual_seed(1)
    if DEVICE == "cpu":
        return quack_mlir.simulate()
    torch.set_default_device(DEVICE)
    return contextlib.nullcontext()
