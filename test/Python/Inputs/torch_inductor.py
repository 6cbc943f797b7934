# test/Python/Inputs/torch_inductor.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile as users call it, which takes a C++ compiler."""

from devices import started
from testing import main
from torch_compile import Model, Small, check_compiled


def inductor():
    check_compiled(Small(), "inductor", (2,))
    check_compiled(Model(), "inductor", (2,))


if __name__ == "__main__":
    with started():
        main()
