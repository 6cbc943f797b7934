# test/Python/Inputs/errors.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What callers do wrong is an exception that names the kernel and the operand, before
anything is computed; and the next call works."""

from pathlib import Path

import numpy as np
import quack_mlir
from testing import close, main, raises

X = np.random.default_rng(1).normal(size=(3, 40)).astype(np.float32)
SOFTMAX = quack_mlir.compile("softmax")
RMS_NORM = quack_mlir.compile("rms_norm")
LOSS = quack_mlir.compile("cross_entropy")
TARGET = np.array([1, 2, 3])


def _still_works():
    e = np.exp(X.astype(np.float64))
    close(SOFTMAX(X), e / e.sum(axis=-1, keepdims=True))


def element_types():
    for dtype in (np.float64, bool, np.complex64, np.uint8, object, "f,f"):
        with raises(TypeError, "softmax: operand 'x'", "must be of float32, bfloat16"):
            SOFTMAX(np.zeros((3, 4), dtype))
    with raises(TypeError, "operand 'x'", "byte order", ">f4"):
        SOFTMAX(X.astype(">f4"))
    for dtype in (np.int32, np.int8):
        with raises(quack_mlir.QuackError, "softmax", "operand 'x'", "cannot be stored as"):
            SOFTMAX(X.astype(dtype))
    with raises(quack_mlir.QuackError, "operand 'target'", "'i64'", "'f32'"):
        LOSS(X, TARGET.astype(np.float32))
    with raises(TypeError, "operand 'x'", "mask"):
        SOFTMAX(np.ma.array(X, mask=X > 0))
    _still_works()


def no_arrays():
    for value in ([[1.0, 2.0]], 3.0, "x", memoryview(X)):
        with raises(TypeError, "softmax: operand 'x' must be an array",
                    f"got {type(value).__name__}"):
            SOFTMAX(value)
    with raises(TypeError, "operand 'mask' must be an array"):
        SOFTMAX(X, mask=2.0)
    for arguments in ((), (None,)):
        with raises(TypeError, "softmax: no input says how many rows there are"):
            SOFTMAX(*arguments)
    with raises(TypeError, "softmax takes 2 arrays (x, mask), got 3"):
        SOFTMAX(X, X, X)


def shapes():
    for rank_zero in (np.float32(1), np.array(1, np.float32)):
        with raises(quack_mlir.QuackError, "operand 'x': must have rows of columns"):
            SOFTMAX(rank_zero)
    with raises(quack_mlir.QuackError, "operand 'x': must have columns", "[3, 0]"):
        SOFTMAX(X[:, :0])
    with raises(quack_mlir.QuackError, "rms_norm: operand 'weight': must have 40 columns, "
                "as operand 'x' has, got 20"):
        RMS_NORM(X, weight=X[0, :20], eps=1e-6)
    with raises(quack_mlir.QuackError, "operand 'weight': must be [columns]", "[3, 40]"):
        RMS_NORM(X, weight=X, eps=1e-6)
    with raises(quack_mlir.QuackError, "operand 'residual': must have 3 rows, as operand 'x' "
                "has, got 2"):
        RMS_NORM(X, X[:2], eps=1e-6)
    with raises(quack_mlir.QuackError, "operand 'target': must have 3 rows", "got 2"):
        LOSS(X, TARGET[:2])
    with raises(quack_mlir.QuackError, "operand 'divisor': must be one element"):
        LOSS(X, TARGET, divisor=X[0])


def outputs():
    """Nothing is written that does not fit, or must not be written."""
    for shape, part in (((3, 41), "must have 40 columns"), ((4, 40), "must have 3 rows")):
        y = np.full(shape, np.nan, np.float32)
        with raises(quack_mlir.QuackError, f"operand 'y': {part}, as operand 'x' has"):
            SOFTMAX(X, out=y)
        assert np.isnan(y).all()
    with raises(TypeError, "operand 'y' must be of float32"):
        SOFTMAX(X, out=np.zeros((3, 40)))
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(200, np.float32), (3, 40), (4, 4))
    with raises(quack_mlir.QuackError, "operand 'y': its rows of 40 elements overlap"):
        SOFTMAX(X, out=overlapping)
    frozen = np.zeros((3, 40), np.float32)
    frozen.flags.writeable = False
    for locked in (frozen, np.broadcast_to(np.float32(0), (3, 40))):
        with raises(ValueError, "softmax: operand 'y'", "read-only"):
            SOFTMAX(X, out=locked)
    assert not frozen.any()
    close(SOFTMAX(frozen), np.full((3, 40), 1 / 40))
    with raises(TypeError, "rms_norm has several outputs", "y, rstd"):
        RMS_NORM(X, eps=1e-6, returns=["y", "rstd"], out=frozen)


def names():
    with raises(TypeError, "softmax has no operand 'zz', only x, mask, y, scale"):
        SOFTMAX(X, zz=X)
    with raises(TypeError, "softmax got operand 'x' twice"):
        SOFTMAX(X, x=X)
    with raises(TypeError, "'y' is an output of softmax", "out="):
        SOFTMAX(X, y=X)
    with raises(TypeError, "'x' is no output of softmax"):
        SOFTMAX(X, returns=["x"])
    with raises(TypeError, "'x' is no output of softmax"):
        SOFTMAX(X, out={"x": X})
    for name in ("returns", "out", "dtypes"):
        value = {"zz": "f32"} if name != "returns" else ["zz"]
        with raises(TypeError, "softmax has no operand 'zz'"):
            SOFTMAX(X, **{name: value})
    with raises(TypeError, "returns", "'rstd'"):
        RMS_NORM(X, eps=1e-6, returns="rstd")
    with raises(AttributeError, "no attribute 'soft_max'"):
        quack_mlir.soft_max


def numbers():
    for value in ("a", X, 1j, [2.0]):
        with raises(TypeError, "softmax: operand 'scale' must be a number, got"):
            SOFTMAX(X, scale=value)
    with raises(quack_mlir.QuackError, "operand 'eps': must be given"):
        RMS_NORM(X)
    with raises(TypeError, "operand 'ignore_index' must be an integer, got float"):
        LOSS(X, TARGET, ignore_index=1.5)
    with raises(ValueError, "operand 'ignore_index'", "64 bits"):
        LOSS(X, TARGET, ignore_index=1 << 70)
    topk = quack_mlir.compile("topk")
    for count in (2.5, "2"):
        with raises(TypeError, "topk: operand 'values'", "picks="):
            topk(X, picks=count)
    for count in (0, -1, 400):
        with raises(Exception, "topk"):
            topk(X, picks=count)


def programs():
    with raises(quack_mlir.CompileError, "broken:1:", "error") as caught:
        quack_mlir.Kernel("quack.kernel @", file_name="broken")
    first = caught.value.diagnostics[0]
    assert first.severity == "error" and str(first) in str(caught.value)
    with raises(quack_mlir.CompileError, "no quack.kernel"):
        quack_mlir.compile("func.func @f() { return }\n")
    with raises(quack_mlir.CompileError, "no kernel 'f', only 'softmax'"):
        quack_mlir.compile("softmax", "f")
    with raises(ValueError, "no kernel 'sofmax'", "did you mean 'softmax'?", "library()"):
        quack_mlir.compile("sofmax")
    for name in ("", "nothing like any"):
        with raises(ValueError, f"no kernel {name!r}"):
            quack_mlir.compile(name)
    for path in ("missing.mlir", Path("missing")):
        with raises(FileNotFoundError, "missing"):
            quack_mlir.compile(path)
    for value in (None, 3, b"softmax"):
        with raises(TypeError, "a text, a path or a name", type(value).__name__):
            quack_mlir.compile(value)


def options():
    """A plan and an option are judged at the first call, and again at the next."""
    for option, parts in (({"pin": "cluster = 3"}, ("'cluster'", "power of two", "got 3")),
                          ({"pin": "clusters = 2"}, ("clusters",)),
                          ({"chip": "sm_999"}, ("unknown chip 'sm_999'", "sm_90")),
                          ({"target": "b200"}, ("unknown target 'b200'", "h200")),
                          ({"ptx_version": 12}, ("PTX version 12", "83")),
                          ({"ptx_version": "new"}, ("ptx-version", "number")),
                          ({"max_cluster": 0}, ("max-cluster", "at least 1")),
                          ({"pin": 'threads = 64" columns="8'}, ("quotation",))):
        with raises(quack_mlir.QuackError, *parts):
            kernel = quack_mlir.compile("softmax", **option)
            with raises(quack_mlir.QuackError, *parts):
                kernel(X)
            kernel(X)
    _still_works()


if __name__ == "__main__":
    main()
