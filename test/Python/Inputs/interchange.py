# test/Python/Inputs/interchange.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries, in the host's memory and on the GPU: what they say of
themselves is taken as it is, and launches go to their streams. The driver is the simulated
one."""

import os
import threading

import numpy as np
import quack_mlir
from cuda_arrays import CudaArray, DlpackArray, Memory, call, make_stream
from testing import close, main, raises

X = np.random.default_rng(1).normal(size=(3, 40)).astype(np.float32)
E = np.exp(X.astype(np.float64))
EXPECTED = E / E.sum(axis=-1, keepdims=True)
SOFTMAX = quack_mlir.compile("softmax")
BACKWARD = quack_mlir.compile("rms_norm_backward")
CPU, CUDA = 1, 2


def _nothing():
    return CudaArray(np.full((3, 40), np.nan, np.float32))


def _launches():
    """Returns the streams of the launches so far."""
    with open(os.environ["SIMULATED_CUDA_LOG"], encoding="utf-8") as log:
        return [line.split("stream=")[1].split()[0] for line in log
                if line.startswith("cuLaunchKernelEx context")]


def dlpack_of_the_host():
    for old in (False, True):
        y = np.full((3, 40), np.nan, np.float32)
        arrays = [DlpackArray(a.ctypes.data, a.shape, 2, 32, (CPU, 0), old) for a in (X, y)]
        assert SOFTMAX(arrays[0], out=arrays[1]) is arrays[1]
        close(y, EXPECTED)
    with raises(TypeError, "softmax: operand 'y' must be given (out=)", "DlpackArray"):
        SOFTMAX(arrays[0])
    with raises(TypeError, "operand 'x' has an element type", "code 2 of 64 bits"):
        SOFTMAX(DlpackArray(X.ctypes.data, (3, 20), 2, 64, (CPU, 0)), out=y)
    with raises(TypeError, "operand 'x' has an element type", "2 lanes"):
        SOFTMAX(DlpackArray(X.ctypes.data, (3, 20), 2, 32, (CPU, 0), lanes=2), out=y)
    locked = DlpackArray(y.ctypes.data, y.shape, 2, 32, (CPU, 0), flags=1)
    with raises(ValueError, "softmax: operand 'y'", "read-only"):
        SOFTMAX(X, out=locked)
    with raises(quack_mlir.QuackError, "operand 'x': must be in a GPU's memory", "got type 4"):
        SOFTMAX(DlpackArray(X.ctypes.data, X.shape, 2, 32, (4, 0)), out=y)


def dlpack_of_a_gpu():
    x, y = Memory(X), Memory(X * 0)
    arrays = [DlpackArray(a.address, a.shape, 2, 32, (CUDA, 0)) for a in (x, y)]
    SOFTMAX(arrays[0], out=arrays[1])
    close(y.numpy(), EXPECTED)
    # The producer is told where its numbers are used.
    stream = make_stream()
    SOFTMAX(arrays[0], out=arrays[1], stream=stream)
    assert arrays[0].streams[-1] == arrays[1].streams[-1] == stream
    assert _launches()[-2:] == ["0", "2"], _launches()
    SOFTMAX(arrays[0], out=arrays[1], stream=0)
    assert arrays[0].streams[-1] == 1  # by which DLPack knows it


def cuda_array_interface():
    y = _nothing()
    assert SOFTMAX(CudaArray(X), out=y) is y
    close(y.numpy(), EXPECTED)
    half, y = CudaArray(X.astype(np.float16)), CudaArray(X.astype(np.float16))
    SOFTMAX(half, out=y)
    close(y.numpy(), EXPECTED, 1e-3)
    # Every other row, by strides in bytes.
    rows, y = CudaArray(np.repeat(X, 2, axis=0)), _nothing()
    rows.shape, rows.device_strides = (3, 40), (320, 4)
    SOFTMAX(rows, out=y)
    close(y.numpy(), EXPECTED)
    rows.device_strides = (321, 4)
    with raises(ValueError, "operand 'x'", "whole elements", "321"):
        SOFTMAX(rows, out=y)
    with raises(ValueError, "operand 'y'", "read-only"):
        SOFTMAX(CudaArray(X), out=CudaArray(X, read_only=True))
    with raises(quack_mlir.QuackError, "operand 'y': must be on GPU 0", "got the host"):
        SOFTMAX(CudaArray(X), out=X.copy())
    y = CudaArray(np.zeros((0, 40), np.float32))
    SOFTMAX(CudaArray(X[:0]), out=y)


def streams():
    stream, y = make_stream(), _nothing()
    before = len(_launches())
    SOFTMAX(CudaArray(X, stream=stream), out=y)
    SOFTMAX(CudaArray(X), out=y, stream=stream)
    SOFTMAX(CudaArray(X), out=CudaArray(X, stream=stream))
    SOFTMAX(CudaArray(X, stream=1), out=y)
    SOFTMAX(CudaArray(X, stream=2), out=y)
    SOFTMAX(CudaArray(X, stream=1), out=y, stream=0)
    own, _, third, *others = _launches()[before:]
    assert own == third != "0" and others == ["0", "1", "0"], _launches()
    with raises(quack_mlir.QuackError, "operand 'x' is ready on stream", "synchronise"):
        SOFTMAX(CudaArray(X, stream=make_stream()), out=y, stream=stream)
    with raises(TypeError, "stream=", "str"):
        SOFTMAX(X, stream="default")


def workspaces():
    """Where a library's arrays cannot be made here, the stream has the workspace."""
    rstd = 1 / np.sqrt((X.astype(np.float64) ** 2).mean(axis=-1))
    inputs = {"dy": X, "rstd": rstd.astype(np.float32)}
    expected = (X * X * rstd[:, None]).sum(axis=0)
    dx, dw = BACKWARD(X, returns=["dx", "dw"], **inputs)
    close(dw, expected, 1e-4)
    outputs = {"dx": _nothing(), "dw": CudaArray(X[0])}
    on_gpu = {name: CudaArray(value) for name, value in inputs.items()}
    BACKWARD(CudaArray(X), out=outputs, **on_gpu)
    close(outputs["dw"].numpy(), expected, 1e-4)
    close(outputs["dx"].numpy(), dx)


def threads():
    """The current context of each thread is its own business."""
    wrong = []

    def run():
        try:
            y = _nothing_of(shared)
            SOFTMAX(shared, out=y)
            results.append(y)
        except Exception as error:
            wrong.append(error)

    def _nothing_of(array):
        return DlpackArray(memories.pop().address, array.shape, 2, 32, (CUDA, 0))

    shared, results = CudaArray(X), []
    outputs = [Memory(X * np.nan) for _ in range(4)]
    memories = list(outputs)
    running = [threading.Thread(target=run) for _ in outputs]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong and len(results) == 4, wrong
    for y in outputs:
        close(y.numpy(), EXPECTED)


def launch_failures():
    """The context is none the worse for a launch that cannot be."""
    y = _nothing()
    with raises(quack_mlir.QuackError, "softmax", "softmax_anywhere", "multiple of 4 bytes"):
        x = CudaArray(X)
        x.address += 2
        SOFTMAX(x, out=y)
    call("cuCtxSynchronize")
    SOFTMAX(CudaArray(X), out=y)
    close(y.numpy(), EXPECTED)


if __name__ == "__main__":
    main()
