# test/Python/Inputs/processes.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What importing does and does not do, forks, other packages in the process, the cache on
disk: each in a process of its own. The driver is the simulated one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from testing import main

LOG = "SIMULATED_CUDA_LOG"


def _run(script, **environment):
    """Returns what a python printed, and the log of the driver's calls."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "calls.txt")
        variables = {**os.environ, LOG: str(log), **environment}
        ran = subprocess.run([sys.executable, "-c", script], env=variables, text=True,
                             capture_output=True, check=False)
        assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
        assert not ran.stderr, ran.stderr
        return ran.stdout.strip(), log.read_text() if log.exists() else ""


def import_alone():
    """No driver, no context, no other package; not even for simulated kernels."""
    said, log = _run("""
import sys
import quack_mlir
kernel = quack_mlir.compile("softmax")
assert "torch" not in sys.modules and "numpy" not in sys.modules, "imported"
import numpy as np
kernel(np.zeros((2, 8), np.float32))
assert "torch" not in sys.modules, "imported"
print("libcuda" in open("/proc/self/maps").read(), quack_mlir.__version__)
print(sorted(set(dir(quack_mlir)) & {"softmax", "rms_norm", "compile", "cache"}))
""")
    assert said.startswith("False 0."), said
    assert "['cache', 'compile', 'rms_norm', 'softmax']" in said, said
    assert not log, log


def import_without_a_library():
    ran = subprocess.run([sys.executable, "-c", "import quack_mlir"], text=True,
                         env={**os.environ, "QUACK_LIBRARY": "missing/libquack_c.so"},
                         capture_output=True, check=False)
    assert ran.returncode == 1 and "missing/libquack_c.so" in ran.stderr, ran.stderr


def both_packages():
    """The peer's package is called quack; both are there, whichever is first."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "quack").mkdir()
        Path(folder, "quack", "__init__.py").write_text("name = 'the other'\n")
        path = os.pathsep.join([folder, os.environ["PYTHONPATH"]])
        for first, second in (("quack", "quack_mlir"), ("quack_mlir", "quack")):
            said, _ = _run(f"""
import {first}
import {second}
import numpy as np
y = quack_mlir.compile("softmax")(np.zeros((1, 4), np.float32))
print(quack.name, y.tolist(), hasattr(quack, "compile"))
""", PYTHONPATH=path)
            assert said == "the other [[0.25, 0.25, 0.25, 0.25]] False", said


def old_torch():
    """A torch that has not what the functions need is told from one that is not there."""
    for version, error in (("2.1.0+cu118", "need torch 2.4 or later, got 2.1.0"), (None, "torch")):
        with tempfile.TemporaryDirectory() as folder:
            source = f"__version__ = {version!r}" if version else "raise ImportError('no torch')"
            Path(folder, "torch.py").write_text(source)
            said, _ = _run("""
import quack_mlir
try:
    quack_mlir.softmax
except ImportError as error:
    print(error)
""", PYTHONPATH=os.pathsep.join([folder, os.environ["PYTHONPATH"]]))
        assert error in said, said


FORK = """
import os
import numpy as np
import quack_mlir
from cuda_arrays import CudaArray
softmax = quack_mlir.compile("softmax")
x = np.zeros((2, 8), np.float32)
softmax(x)
{parent}
child = os.fork()
if child == 0:
    try:
        softmax(x)
        softmax(CudaArray(x), out=CudaArray(x))
        print("launched", flush=True)
    except (quack_mlir.QuackError, AssertionError) as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def fork():
    """A child of a process that has compiled, and run in the simulator, launches."""
    said, log = _run(FORK.format(parent=""))
    assert said == "launched", said
    assert "cuLaunchKernelEx context=1" in log, log
    launch = "y = CudaArray(x)\nsoftmax(CudaArray(x), out=y)"
    used = FORK.format(parent=launch).replace("CudaArray(x), out=CudaArray(x)", "y, out=y")
    said, _ = _run(used)
    assert said.startswith("QuackError softmax: ") and "NOT_INITIALIZED" in said, said
    assert "forked" in said and "spawn" in said, said


def pickles():
    """Kernels go to other processes, and copies of them are themselves."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"""
import copy, pickle
import numpy as np
import quack_mlir
file, x = {str(Path(folder, "kernel"))!r}, np.zeros((1, 4), np.float32)
"""
        _run(script + """
kernel = quack_mlir.compile("softmax", pin="threads = 64")
assert copy.deepcopy(kernel) is kernel and copy.copy(kernel) is kernel
open(file, "wb").write(pickle.dumps(kernel))
""")
        said, _ = _run(script + """
kernel = pickle.load(open(file, "rb"))
print(kernel, kernel(x).tolist())
""")
    assert said == ("<quack_mlir.Kernel softmax(x, mask, y, scale)> [[0.25, 0.25, 0.25, 0.25]]"), said


COUNT = """
import numpy as np
import quack_mlir
x = np.zeros((2, 1024), np.float32)
softmax, norm = quack_mlir.compile("softmax"), quack_mlir.compile("rms_norm")
for y in (softmax(x), softmax(x[:, :512]), softmax(x.astype(np.float16)), softmax(x)):
    assert abs(y.sum() - 2) < 1e-3
assert not norm(x, eps=1e-6).any()
print(*quack_mlir.cache.counters())
"""


def cache():
    """A second process compiles nothing, and kernels of one name are each their own; what
    is damaged is compiled anew; the cache can be off."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {"QUACK_CACHE_DIR": folder}
        said, _ = _run(COUNT, **variables)
        assert said.split()[1:] == ["0", "4", "0"], said
        said, _ = _run(COUNT, **variables)
        assert said.split()[1:] == ["4", "0", "0"], said
        entries = [path for path in Path(folder).rglob("*") if path.is_file()]
        assert len(entries) >= 4, entries
        for entry in entries:
            entry.write_bytes(entry.read_bytes()[:100])
        said, _ = _run(COUNT, **variables)
        assert said.split()[1:3] == ["0", "4"], said
        said, _ = _run("""
import quack_mlir.cache as cache
print(cache.directory(), cache.clear() >= 4, cache.clear())
""", **variables)
        assert said == f"{folder} True 0", said
    said, _ = _run(COUNT + "print(repr(quack_mlir.cache.directory()))", QUACK_CACHE_DIR="off")
    assert said.split()[1:] == ["0", "4", "0", "''"], said


def two_gpus():
    """Arrays say which GPU they are on; the current context stays."""
    said, log = _run("""
import ctypes
import numpy as np
import quack_mlir
from cuda_arrays import CudaArray, DlpackArray, call
x = np.random.default_rng(1).normal(size=(2, 8)).astype(np.float32)
softmax = quack_mlir.compile("softmax")
first, second = CudaArray(x), ctypes.c_void_p()
own, now = ctypes.c_void_p(), ctypes.c_void_p()
call("cuCtxGetCurrent", ctypes.byref(own))
call("cuDevicePrimaryCtxRetain", ctypes.byref(second), 1)
call("cuCtxSetCurrent", second)
there = [CudaArray(x, device=1), CudaArray(x)]  # the driver knows, too
call("cuCtxSetCurrent", own)
softmax(there[0], out=there[1])
call("cuCtxGetCurrent", ctypes.byref(now))
assert now.value == own.value
y = DlpackArray(there[0].address, x.shape, 2, 32, (2, 1))
softmax(there[1], out=y)
try:
    softmax(first, out=there[0])
except quack_mlir.QuackError as error:
    print(error)
call("cuCtxSetCurrent", second)
e = np.exp(x.astype(np.float64))
y = e / e.sum(axis=-1, keepdims=True)
assert abs(there[1].numpy() - y).max() < 1e-6
""", SIMULATED_CUDA_DEVICES="2")
    assert said == "softmax: operand 'y': must be on GPU 0, as operand 'x' is, got GPU 1", said
    launched = [line.split()[1] for line in log.splitlines()
                if line.startswith("cuLaunchKernelEx")]
    assert launched == ["context=2"] * 2, log


if __name__ == "__main__":
    main()
