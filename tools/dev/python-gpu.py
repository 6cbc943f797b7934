#!/usr/bin/env python3
# tools/dev/python-gpu.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs on a GPU what of the Python package's tests needs one.

    tools/dev/python-gpu.py [--library=libquack_c.so] [CASE ...]

First the cases of this file, in their order; then test/Python's scripts of torch, on the
GPU. Prints a line for each, what was skipped and why, and last `N passed, N failed`; exits 1
if any failed. Needs torch 2.4 or later, built for CUDA. Cases that are about what comes first
in a process run in one of their own, with a compile cache of its own or none. Names are those
of the table in test/README.md.
"""

import argparse
import ctypes
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
import textwrap
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test" / "Python" / "Inputs"
PACKAGE = ROOT / "lib" / "Bindings" / "Python"


class Skipped(Exception):
    """Why a case cannot be run here."""


def run_script(script, **environment):
    """Returns what a new python printed."""
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], text=True,
                         env={**os.environ, **environment}, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=600, check=False)
    if ran.returncode:
        raise AssertionError(ran.stdout)
    return ran.stdout.strip()


def softmax_is(y, x, tolerance=1e-6):
    """Whether y is what torch computes in float64."""
    return (y.double() - x.double().softmax(-1)).abs().max().item() <= tolerance


# The cache: fresh processes that find everything, or nothing.

KERNELS = """
    import torch, quack_mlir
    norm = lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    for columns in (1024, 2048, 1024):
        x = torch.randn(8, columns, device="cuda")
        for dtype, allowed in ((torch.float32, 1e-5), (torch.bfloat16, 3e-2)):
            own = x.to(dtype)
            y = quack_mlir.rms_norm(own), quack_mlir.softmax(own)
            right = norm(own.double()), own.double().softmax(-1)
            assert all(((a - b).abs() <= allowed * (1 + b.abs())).all() for a, b in zip(y, right))
    print(*quack_mlir.cache.counters())
"""


def R01_kernels_of_one_name_from_a_warm_cache():
    with tempfile.TemporaryDirectory() as folder:
        first = run_script(KERNELS, QUACK_CACHE_DIR=folder)
        second = run_script(KERNELS, QUACK_CACHE_DIR=folder)
    assert int(first.split()[2]) >= 8, first
    assert second.split()[2] == "0", f"compiled again: {second}"


def R03_one_thing_changes_at_a_time():
    import torch
    import quack_mlir

    x = torch.randn(16, 4104, device="cuda")
    softmax, cluster = quack_mlir.compile("softmax"), quack_mlir.compile("softmax", pin="cluster = 2")
    around = torch.empty(16, 4104, device="cuda", dtype=torch.bfloat16)
    views = [x[:, :4096], x[:, 1:4097], x[:, :4095], x[::2, :4096], x[:1, :4096].expand(16, 4096),
             x[:, :4096].contiguous(), x[:3, 8:4104]]
    for kernel, view in itertools.product((softmax, cluster), views):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            own = view.to(dtype) if dtype != torch.float32 else view
            assert softmax_is(kernel(own), own, 1e-6 if dtype == torch.float32 else 1e-3)
        out = around[:view.shape[0], :view.shape[1]]
        assert softmax_is(kernel(view, out=out), view, 1e-3)
    mask = torch.zeros_like(views[0])
    assert softmax_is(softmax(views[0], mask=mask), views[0])
    assert softmax_is(softmax(views[0], scale=2.0), views[0] * 2)


def R05_targets_and_versions():
    import torch
    import quack_mlir

    x = torch.randn(4, 1024, device="cuda")
    for option in ({"chip": "sm_999"}, {"target": "b200"}, {"ptx_version": 12}):
        try:
            quack_mlir.compile("softmax", **option)(x)
        except quack_mlir.QuackError as error:
            assert str(next(iter(option.values()))) in str(error), error
        else:
            raise AssertionError(f"{option} is taken")
    for option in ({"chip": "sm_90a"}, {"ptx_version": 80}, {"ptx_version": 90}):
        try:
            assert softmax_is(quack_mlir.compile("softmax", **option)(x), x)
        except quack_mlir.QuackError as error:
            assert "PTX" in str(error) and "driver" in str(error), error


# Contexts.


def R07_nothing_before_the_first_launch():
    said = run_script("""
        import os, sys
        import numpy as np
        import quack_mlir
        softmax = quack_mlir.compile("softmax")
        softmax(np.zeros((1, 64), np.float32))
        assert "libcuda" not in open("/proc/self/maps").read() and "torch" not in sys.modules
        child = os.fork()
        import torch
        assert not torch.cuda.is_initialized()
        x = torch.randn(4, 4096, device="cuda")
        assert (softmax(x) - x.softmax(-1)).abs().max() < 1e-6
        if child:
            assert os.waitpid(child, 0)[1] == 0
            late = os.fork()
            if late == 0:
                try:
                    softmax(x)
                except Exception as error:
                    print(error, flush=True)
                os._exit(0)
            os.waitpid(late, 0)
    """, QUACK_CACHE_DIR="off")
    assert "fork" in said, f"a child of a process that used CUDA: {said}"


def R09_another_device_than_the_current_one():
    import torch
    import quack_mlir

    if torch.cuda.device_count() < 2:
        raise Skipped("there is one GPU")
    with torch.cuda.device(0):
        x = torch.randn(8, 4096, device="cuda:1", requires_grad=True)
        weight = torch.ones(4096, device="cuda:1", requires_grad=True)
        target = torch.zeros(8, dtype=torch.int64, device="cuda:1")
        y = quack_mlir.layer_norm(quack_mlir.rms_norm(x, weight), weight)
        loss = quack_mlir.cross_entropy(quack_mlir.log_softmax(quack_mlir.softmax(y)), target)
        (loss + quack_mlir.logsumexp(x).sum()).backward()
        assert torch.cuda.current_device() == 0 and x.grad.isfinite().all()
        assert softmax_is(quack_mlir.compile("softmax")(x.detach()), x.detach())
        here = torch.randn(8, 4096, device="cuda:0")
        try:
            quack_mlir.rms_norm(here, weight.detach())
        except quack_mlir.QuackError as error:
            assert "operand 'weight': must be on GPU 0" in str(error), error
        else:
            raise AssertionError("tensors on two GPUs are taken")


# Streams.


def R11_the_current_stream_and_others():
    import torch
    import quack_mlir

    kernel = quack_mlir.compile("softmax")
    weight = torch.ones(4096, device="cuda", requires_grad=True)
    kernel(torch.zeros(64, 4096, device="cuda"))
    side, other = torch.cuda.Stream(), torch.cuda.Stream()
    right = 0
    for time in range(50):
        x = torch.full((64, 4096), torch.nan, device="cuda")
        y = torch.full_like(x, torch.nan)
        fresh = torch.randn(64, 4096, device="cuda")
        torch.cuda.synchronize()
        stream = (side, other)[time % 2]
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2_000_000)
            x.copy_(fresh)
            kernel(x, out=y)
            double = y * 2
            norm = quack_mlir.rms_norm(x, weight)
            norm.sum().backward()
        stream.synchronize()
        right += softmax_is(double / 2, fresh) and norm.isfinite().all().item()
    assert right == 50, f"{right} of 50 times right"
    x = torch.randn(64, 4096, device="cuda")
    for handle in (0, 1, 2, side.cuda_stream):  # default, legacy, per thread
        y = torch.full_like(x, torch.nan)
        torch.cuda.synchronize()
        kernel(x, out=y, stream=handle)
        torch.cuda.synchronize()
        assert softmax_is(y, x)
    external = torch.cuda.ExternalStream(side.cuda_stream)
    with torch.cuda.stream(external):
        y = quack_mlir.softmax(x)
    external.synchronize()
    assert softmax_is(y, x)


# Graphs.

CAPTURE = """
    import torch, quack_mlir
    x = torch.zeros(64, 4096, device="cuda")
    weight = torch.ones(4096, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph{mode}):
        y = {call}
    for time in range(3):
        x.normal_()
        graph.replay()
        torch.cuda.synchronize()
        right = {right}
        assert ((y.double() - right).abs() < 1e-4).all(), time
    print("replayed")
"""
SOFTMAX = {"call": "quack_mlir.softmax(x)", "right": "x.double().softmax(-1)"}
GRADIENT = {"call": "torch.ops.quack_mlir.rms_norm_backward(x, None, x, weight, weight[:64], 0.0, "
                    "x.dtype, None, None)[2]",
            "right": "(x.double() * x.double()).sum(0)"}


def R13_the_first_call_is_in_a_capture():
    """Cold and warm; also a kernel with a workspace, and the capture mode of most."""
    for call in (SOFTMAX, GRADIENT):
        for mode in ("", ", capture_error_mode='thread_local'"):
            script = CAPTURE.format(mode=mode, **call)
            with tempfile.TemporaryDirectory() as folder:
                for cache in ("off", folder, folder):
                    try:
                        assert run_script(script, QUACK_CACHE_DIR=cache).endswith("replayed")
                    except AssertionError as error:
                        if "before the capture" not in str(error):
                            raise
                        raise Skipped("the driver is older than CUDA 12.3, and says so") from None


def R13_graphs_of_training_steps():
    import torch
    import quack_mlir

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1024, device="cuda"))

        def forward(self, x):
            return quack_mlir.softmax(quack_mlir.rms_norm(x, self.weight)) * x

    block = Block()
    sample = torch.randn(32, 1024, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(block, (sample,))
    for _ in range(3):
        x = torch.randn(32, 1024, device="cuda", requires_grad=True)
        again = x.detach().requires_grad_()
        graphed(x).square().sum().backward()
        got = x.grad.clone(), block.weight.grad.clone()
        block.weight.grad = None
        y = again * torch.rsqrt((again * again).mean(-1, keepdim=True) + 1e-6)
        (torch.softmax(y * block.weight, -1) * again).square().sum().backward()
        torch.testing.assert_close(got[0], again.grad, rtol=1e-3, atol=1e-5)
        torch.testing.assert_close(got[1], block.weight.grad, rtol=1e-3, atol=1e-4)
        block.weight.grad = None


def R13_reduce_overhead():
    import torch
    import quack_mlir

    weight = torch.randn(4096, device="cuda", requires_grad=True)

    @torch.compile(fullgraph=True, mode="reduce-overhead")
    def loss(x, target):
        return quack_mlir.cross_entropy(quack_mlir.layer_norm(x, weight) + 1, target)

    for _ in range(5):
        x = torch.randn(64, 4096, device="cuda", requires_grad=True)
        target = torch.randint(0, 4096, (64,), device="cuda")
        weight.grad = None
        loss(x, target).backward()
        wide, wide_weight = (t.detach().double().requires_grad_() for t in (x, weight))
        y = torch.nn.functional.layer_norm(wide, (4096,), wide_weight) + 1
        torch.nn.functional.cross_entropy(y, target).backward()
        torch.testing.assert_close(x.grad.double(), wide.grad, rtol=1e-3, atol=1e-6)
        torch.testing.assert_close(weight.grad.double(), wide_weight.grad, rtol=1e-3, atol=1e-6)


# Launches.


def R15_clusters_of_sixteen():
    import torch
    import quack_mlir

    x = torch.randn(5, 262144, device="cuda", dtype=torch.bfloat16)
    for options in ({"pin": "cluster = 16"}, {"max_cluster": 8}, {}):
        assert softmax_is(quack_mlir.compile("softmax", **options)(x), x, 1e-4)


def R17_what_the_driver_refuses():
    """A kernel whose document asks for more shared memory than there is."""
    import torch
    import quack_mlir
    from quack_mlir import _library

    library = ctypes.CDLL(_library.library_path)

    def function(name, result, *arguments):
        found = getattr(library, name)
        found.restype, found.argtypes = result, arguments
        return found

    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    options, count = _library.make_options({"columns": 4096})
    listener = _library.Listener()
    program = function("quackLibraryText", text, text)(b"softmax")
    compiled = function("quackCompileText", pointer, text, ctypes.c_size_t, text, pointer,
                        ctypes.c_size_t, pointer)(program, len(program), b"softmax", options,
                                                  count, listener.address)
    ptx = function("quackCompiledPTX", text, pointer)(compiled)
    document = function("quackCompiledMetadata", text, pointer)(compiled).decode()
    for line in document.splitlines():
        if '"shared_bytes"' in line:
            document = document.replace(line, line.split(":")[0] + ": 300000,")
    load = function("quackLoadTexts", pointer, text, text, pointer)
    executable = load(ptx, document.encode(), listener.address)
    assert executable, listener.call_error()
    kernel = function("quackExecutableKernel", pointer, pointer, text)(executable, b"softmax")
    x, y = torch.randn(4, 4096, device="cuda"), torch.full((4, 4096), 7.0, device="cuda")
    arguments = (ctypes.c_uint64 * 4)(x.data_ptr(), 4096, y.data_ptr(), 4096)
    launch = function("quackKernelLaunch", ctypes.c_int, pointer, ctypes.c_int64, pointer,
                      ctypes.c_size_t, pointer, pointer)
    assert launch(kernel, 4, arguments, 2, None, listener.address)
    said = listener.call_error()
    for part in ("CUDA_ERROR_", "kernel 'softmax'", "grid (", "block (", "cluster 1", "300000 bytes"):
        assert part in said, said
    torch.cuda.synchronize()
    assert (y == 7).all() and softmax_is(quack_mlir.softmax(x), x)


def R19_import_orders():
    """torch, triton, the peer's package where it is, and this one: in every order."""
    names = ["torch", "triton", "quack_mlir", "quack"]
    there = [name for name in names if importlib.util.find_spec(name)]
    for order in itertools.permutations(there):
        said = run_script(f"""
            import {", ".join(order)}
            x = torch.randn(4, 1024, device="cuda")
            assert (quack_mlir.softmax(x) - x.softmax(-1)).abs().max() < 1e-6
            twice = torch.compile(lambda x: quack_mlir.softmax(x * 2) + 1, fullgraph=True)
            assert (twice(x) - (x * 2).softmax(-1) - 1).abs().max() < 1e-6
            print("right")
        """)
        assert said.endswith("right"), said
    for name in set(names) - set(there):
        print(f"  without {name}, which is not installed")


# The package's other files.


def page():
    """The files of lib/Bindings/README.md that need a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "test/Docs/Inputs/snippets.py",
                        ROOT / "lib/Bindings/README.md", folder], check=True,
                       stdout=subprocess.DEVNULL)
        for name in ("block.py", "graph.py"):
            run_script(Path(folder, name).read_text(encoding="utf-8"))


def long_rows():
    """Gradients of long rows and many, which the simulator has no time for."""
    import torch
    import quack_mlir

    for rows, columns, dtype in ((4096, 4096, torch.bfloat16), (33, 131072, torch.float32),
                                 (100001, 257, torch.float16)):
        x = torch.randn(rows, columns, device="cuda", dtype=dtype).requires_grad_()
        weight = torch.randn(columns, device="cuda").requires_grad_()
        target = torch.randint(0, columns, (rows,), device="cuda")
        y = quack_mlir.rms_norm(x, weight)
        quack_mlir.cross_entropy(y, target).backward()
        wide, wide_weight = x.detach().double().requires_grad_(), weight.detach().double().requires_grad_()
        z = wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-6) * wide_weight
        rounded = z + (y.detach().double() - z.detach())  # the loss sees y's rounding
        torch.nn.functional.cross_entropy(rounded, target).backward()
        for got, right in ((x.grad, wide.grad), (weight.grad, wide_weight.grad)):
            worst = (got.double() - right).abs().max() / right.abs().max()
            assert worst < (1e-4 if dtype == torch.float32 else 2e-2), (rows, columns, worst)


def run_torch_scripts(selected):
    """Runs test/Python's cases on the GPU; yields their names and whether they passed."""
    for script in ("torch_ops.py", "torch_compile.py", "torch_inductor.py"):
        if selected and script not in selected:
            continue
        ran = subprocess.run([sys.executable, INPUTS / script], text=True, check=False,
                             env={**os.environ, "QUACK_TEST_DEVICE": "cuda"},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        lines = ran.stdout.splitlines()
        names = [line for line in lines if line.isidentifier() and line != "PASS"]
        failed = [line for line in lines if line.endswith(": FAILED")]
        for name in names:
            yield f"{script} {name}", True
        for line in failed:
            yield f"{script} {line.split(':')[0]}", False
        if ran.returncode or not names:
            print(ran.stdout)
            if not failed:
                yield script, False


def run_case(case):
    """Returns passed, failed or skipped."""
    try:
        case()
    except Skipped as reason:
        print(f"skipped  {case.__name__}: {reason}", flush=True)
        return "skipped"
    except Exception:
        print(f"FAILED   {case.__name__}", flush=True)
        traceback.print_exc(file=sys.stdout)
        return "failed"
    print(f"passed   {case.__name__}", flush=True)
    return "passed"


CASES = [case for name, case in list(globals().items())
         if name[0] == "R" and name[1:3].isdigit()] + [page, long_rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", help="libquack_c.so, unless the package finds it")
    parser.add_argument("cases", nargs="*", metavar="CASE",
                        help="such as R13_reduce_overhead or torch_ops.py; all of them if none")
    options = parser.parse_args()
    if options.library:
        os.environ["QUACK_LIBRARY"] = str(Path(options.library).resolve())
    path = [str(PACKAGE), str(INPUTS)]
    os.environ["PYTHONPATH"] = os.pathsep.join([*path, *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.path[:0] = path
    import torch

    if not torch.cuda.is_available():
        sys.exit("python-gpu: torch sees no GPU")
    unknown = set(options.cases) - {c.__name__ for c in CASES} - {p.name for p in INPUTS.glob("torch_*")}
    if unknown:
        sys.exit(f"python-gpu: no case {', '.join(sorted(unknown))}; there are "
                 f"{', '.join(c.__name__ for c in CASES)}")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
    results = [run_case(case) for case in CASES
               if not options.cases or case.__name__ in options.cases]
    for name, is_right in run_torch_scripts(options.cases):
        results.append("passed" if is_right else "failed")
        print(f"{'passed  ' if is_right else 'FAILED  '} {name}", flush=True)
    skipped = results.count("skipped")
    print(f"{results.count('passed')} passed, {results.count('failed')} failed"
          + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if "failed" in results else 0)


if __name__ == "__main__":
    main()
