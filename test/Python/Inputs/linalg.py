# test/Python/Inputs/linalg.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg programs, as frontends emit them, made callable."""

import os
from pathlib import Path

import numpy as np
import quack_mlir
from testing import close, main, raises

FRONTEND = Path(os.environ["FRONTEND"])
RANDOM = np.random.default_rng(1)

DYNAMIC = """
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
"""


def _softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax():
    raised = quack_mlir.compile_linalg(FRONTEND / "softmax_f32.mlir")
    assert list(raised.kernels) == ["main_0"] and "quack.call @main_0" in raised.text
    assert any("Raised" in remark.message for remark in raised.remarks), raised.remarks
    assert raised.remarks[0].file == "softmax_f32.mlir" and raised.remarks[0].line > 0
    kernel = raised["main_0"]
    x = RANDOM.normal(size=(5, 160)).astype(np.float32)
    close(kernel(x), _softmax(x))
    # The program fixes N; what it is of M is free.
    with raises(quack_mlir.QuackError, "operand 'in0': must have 160 columns, as the program "
                "says, got 80"):
        kernel(x[:, :80])


def any_columns():
    assert quack_mlir.compile_linalg(DYNAMIC).kernels == {}
    raised = quack_mlir.compile_linalg(DYNAMIC, dynamic_columns=True)
    (kernel,) = raised.kernels.values()
    for shape in ((3, 40), (2, 1, 8)):
        x = RANDOM.normal(size=shape).astype(np.float32)
        close(kernel(x), _softmax(x))


def bf16():
    raised = quack_mlir.compile_linalg(str(FRONTEND / "rmsnorm_bf16.mlir"))
    assert list(raised.kernels) == ["main_0"] and raised.remarks
    kernel = raised["main_0"]
    assert [operand.type for operand in kernel.operands] == ["bf16"] * 3
    bits = (RANDOM.normal(size=(3, 192)).astype(np.float32).view(np.uint32) >> 16)
    x = (bits << 16).view(np.float32).astype(np.float64)
    weight = np.full(192, 0x4000, np.uint16)  # 2.0
    y = kernel(bits.astype(np.uint16), weight)
    assert y.dtype == np.uint16
    y = (y.astype(np.uint32) << 16).view(np.float32)
    close(y, 2 * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6), 8e-3)
    # The program says the types.
    with raises(quack_mlir.QuackError, "'in0'", "bf16"):
        kernel(x.astype(np.float32), weight, out=np.empty_like(bits, np.uint16))


def errors():
    with raises(quack_mlir.CompileError, "program:1:", "error") as caught:
        quack_mlir.compile_linalg("func.func @f(")
    assert caught.value.diagnostics[0].line == 1
    with raises(quack_mlir.CompileError, "unknown target 'b200'"):
        quack_mlir.compile_linalg(FRONTEND / "softmax_f32.mlir", target="b200")
    with raises(FileNotFoundError, "missing.mlir"):
        quack_mlir.compile_linalg("missing.mlir")
    nothing = quack_mlir.compile_linalg("func.func @f() { return }\n")
    assert nothing.kernels == {} and nothing.remarks == []
    with raises(KeyError, "main_0"):
        nothing["main_0"]
    with raises(quack_mlir.QuackError, "'cluster'", "got 3"):
        quack_mlir.compile_linalg(FRONTEND / "softmax_f32.mlir", pin="cluster = 3")["main_0"](
            np.zeros((1, 160), np.float32))


if __name__ == "__main__":
    main()
