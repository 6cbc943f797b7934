# test/Python/Inputs/torch_inductor.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile as users call it, which takes a C++ compiler."""

import quack_mlir
import torch
from testing import main
from torch_compile import Model, Small, check_compiled


def inductor():
    check_compiled(Small(), "inductor", (2,))
    check_compiled(Model(), "inductor", (2,))


if __name__ == "__main__":
    torch.manual_seed(1)
    with quack_mlir.simulate():
        main()
