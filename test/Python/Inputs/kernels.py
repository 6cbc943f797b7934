# test/Python/Inputs/kernels.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels called on arrays of numpy, which run in the simulator."""

import threading

import numpy as np
import quack_mlir
from testing import close, main, raises

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

RANDOM = np.random.default_rng(1)
SOFTMAX = quack_mlir.compile("softmax")
RMS_NORM = quack_mlir.compile("rms_norm")

# Groups of 32 columns: what of x is below its group's greatest magnitude.
SHARES = """
quack.kernel @shares(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row,
                     %amax: memref<?x?xf32> out groups) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m = math.absf %v : tensor<?xf32>
  %a = quack.group_reduce maximumf %m : tensor<?xf32> -> tensor<?xf32, #quack.groups<32>>
  %b = quack.group_broadcast %a : tensor<?xf32, #quack.groups<32>> -> tensor<?xf32>
  %q = arith.divf %v, %b : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf32>
  quack.store %a, %amax : tensor<?xf32, #quack.groups<32>>, memref<?x?xf32>
}
"""


def _normal(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def _softmax(x):
    x = np.asarray(x, np.float64)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _to_bits(x):
    """Rounds to bfloat16, to nearest even: the upper halves of the f32 patterns."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _from_bits(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def types():
    x = _normal(3, 40)
    y = SOFTMAX(x)
    assert type(y) is np.ndarray and y.dtype == np.float32
    close(y, _softmax(x))
    half = x.astype(np.float16)
    assert SOFTMAX(half).dtype == np.float16
    close(SOFTMAX(half), _softmax(half), 1e-3)
    bits = _to_bits(x)
    assert SOFTMAX(bits).dtype == np.uint16
    close(_from_bits(SOFTMAX(bits)), _softmax(_from_bits(bits)), 8e-3)


def types_of_ml_dtypes():
    if ml_dtypes is None:
        return
    x = _normal(3, 256)
    narrow = x.astype(ml_dtypes.bfloat16)
    y = SOFTMAX(narrow)
    assert y.dtype == ml_dtypes.bfloat16
    assert (y.view(np.uint16) == SOFTMAX(narrow.view(np.uint16))).all()
    q, scale = quack_mlir.compile("quantize_fp8")(x)
    assert q.dtype == ml_dtypes.float8_e4m3fn and scale.dtype == np.float32
    close(scale, np.abs(x).max(axis=-1) / 448)
    close(q.astype(np.float32) * scale[:, None], x, 0.07)
    q, _ = quack_mlir.compile("quantize_fp8")(x, dtypes={"y": ml_dtypes.float8_e5m2})
    assert q.dtype == ml_dtypes.float8_e5m2


def shapes():
    for shape in ((40,), (1, 1), (1, 40), (2, 1, 3, 8), (0, 8), (2, 0, 8), (5, 1)):
        x = _normal(*shape)
        y = SOFTMAX(x)
        assert y.shape == shape
        close(y, _softmax(x) if x.size else x)
    assert quack_mlir.compile("logsumexp")(_normal(2, 3, 8)).shape == (2, 3)
    assert quack_mlir.compile("logsumexp")(_normal(8)).shape == ()


def strides():
    """Rows apart, backward, all the same one, and in the middle of others."""
    x = _normal(6, 48)
    for view in (x[::2], x[:, 3:43], x[::-1], np.broadcast_to(x[0], (5, 48)),
                 x.reshape(2, 3, 48)[:, :, :40], x[:, :1]):
        close(SOFTMAX(view), _softmax(view))
    columns = x[:, ::2], x[:, ::-1], np.asfortranarray(x)
    for view in columns:
        with raises(quack_mlir.QuackError, "softmax: operand 'x'", "side by side",
                    "contiguous copy"):
            SOFTMAX(view)
    with raises(quack_mlir.QuackError, "operand 'x'", "spanned by one stride", "[3, 2, 48]"):
        SOFTMAX(x.reshape(2, 3, 48).transpose(1, 0, 2))


def outputs():
    x = _normal(3, 40)
    around = np.full((5, 48), np.nan, np.float32)
    y = around[1:4, 4:44]
    assert SOFTMAX(x, out=y) is y
    close(y, _softmax(x))
    assert np.isnan(around).sum() == around.size - y.size
    assert SOFTMAX(x, out={"y": y}) is y
    # In place; another type; another leading shape of as many rows.
    same = x.copy()
    close(SOFTMAX(same, out=same), _softmax(x))
    half = np.empty((1, 3, 40), np.float16)
    close(SOFTMAX(x, out=half)[0], _softmax(x), 1e-3)
    for dtype in ("f16", "float16", np.float16, np.dtype(np.float16)):
        assert SOFTMAX(x, dtypes={"y": dtype}).dtype == np.float16


def optional_outputs():
    x, residual = _normal(3, 40), _normal(3, 40).astype(np.float16)
    h = x + residual.astype(np.float32)
    rstd = 1 / np.sqrt((h.astype(np.float64) ** 2).mean(axis=-1) + 1e-6)
    y = RMS_NORM(x, residual, eps=1e-6)
    assert isinstance(y, np.ndarray)
    close(y, h * rstd[:, None])
    # In the program's order; in that of `returns`; given and made.
    y, s = RMS_NORM(x, residual, eps=1e-6, returns=["y", "rstd"])
    close(s, rstd)
    s, y = RMS_NORM(x, residual, eps=1e-6, returns=("rstd", "y"))
    close(s, rstd)
    own = np.empty(3, np.float32)
    y, h16, s = RMS_NORM(x, residual, eps=1e-6, returns=["y", "residual_out", "rstd"],
                         out={"rstd": own}, dtypes={"residual_out": "f16"})
    assert s is own and h16.dtype == np.float16
    close(own, rstd)
    close(h16, h, 1e-3)
    # What is not asked for is not made.
    assert RMS_NORM(x, eps=1e-6, returns=["rstd"]).shape == (3,)


def numbers_and_optional_inputs():
    x, weight = _normal(3, 40), _normal(40)
    normal = x / np.sqrt((x.astype(np.float64) ** 2).mean(axis=-1, keepdims=True) + 0.5)
    close(RMS_NORM(x, weight=weight, eps=0.5), normal * weight)
    close(RMS_NORM(x, None, weight, eps=np.float64(0.5), offset=1), normal * (weight + 1))
    close(RMS_NORM(x, weight=None, eps=0.5, offset=None), normal)
    losses = quack_mlir.compile("cross_entropy")
    target = np.array([1, -7, 2])
    loss, total = losses(x, target, returns=["loss", "total"], ignore_index=-7)
    expected = -np.log(_softmax(x)[[0, 1, 2], target]) * [1, 0, 1]
    close(loss, expected)
    assert total.shape == () and loss[1] == 0
    close(total, expected.sum())


def picks():
    x = _normal(3, 40)
    topk = quack_mlir.compile("topk")
    values, columns = topk(x, picks=4)
    close(values, np.sort(x)[:, :-5:-1])
    assert columns.dtype == np.int32
    close(np.take_along_axis(x, columns, axis=1), values)
    values, columns = topk(x, out={"values": np.empty((3, 2), np.float32),
                                   "columns": np.empty((3, 2), np.int32)})
    close(values, np.sort(x)[:, :-3:-1])
    with raises(TypeError, "topk: operand 'values'", "picks="):
        topk(x)


def groups():
    shares = quack_mlir.compile(SHARES)
    for columns, width in ((128, 32), (128, 64), (96, 32), (100, 32), (20, 32), (300, 128)):
        x = _normal(2, columns)
        y, amax = shares(x, groups=width)
        parts = [np.abs(x[:, c:c + width]).max(axis=1) for c in range(0, columns, width)]
        close(amax, np.stack(parts, axis=1))
        close(y, x / np.repeat(amax, width, axis=1)[:, :columns])
    for width, error in ((None, TypeError), (32.0, TypeError), (0, ValueError)):
        with raises(error, "shares: operand 'amax'", "groups="):
            shares(_normal(2, 128), groups=width)
    with raises(quack_mlir.QuackError, "shares: operand 'amax'", "16, 32", "128", "got 3"):
        shares(_normal(2, 128), groups=48)


def specializations():
    norm = quack_mlir.compile("rms_norm")
    x = _normal(200, 32)
    assert norm.specializations == 0
    for rows in range(1, 201, 13):
        norm(x[:rows], eps=rows / 1e6)
        norm(x[:rows], eps=np.float64(1e-6))
    norm(np.broadcast_to(x[0], (3, 32)), eps=1e-6)
    norm(x[0], eps=1)
    assert norm.specializations == 1
    norm(x.astype(np.float16), eps=1e-6)
    norm(x[:, :16], eps=1e-6)
    norm(x, weight=x[0], eps=1e-6)
    assert norm.specializations == 4


def threads():
    norm = quack_mlir.compile("rms_norm")
    wrong = []

    def run(seed):
        try:
            for columns in (16, 32, 48):
                x = np.random.default_rng(seed).normal(size=(3, columns)).astype(np.float32)
                mean = (x.astype(np.float64) ** 2).mean(axis=-1, keepdims=True)
                close(norm(x, eps=1e-6), x / np.sqrt(mean + 1e-6))
        except Exception as error:
            wrong.append(error)

    running = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong, wrong
    assert norm.specializations == 3


def descriptions():
    assert repr(SOFTMAX) == "<quack_mlir.Kernel softmax(x, mask, y, scale)>"
    assert SOFTMAX.operands[1] == quack_mlir.Operand("mask", "in", "row", "f32", 0, True)
    assert "y: out row f32" in SOFTMAX.__doc__
    assert "softmax" in quack_mlir.library() and len(quack_mlir.library()) > 40


if __name__ == "__main__":
    main()
