#!/usr/bin/env python3
# tools/quack-bench/peers.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures quack_mlir's kernels beside those that a user of torch would take otherwise: torch
eager, torch.compile as it is and tuned, Liger, QuACK (quack-kernels), cuDNN's norms; and beside
the fastest copy of as many bytes.

    peers.py --json=table.json                 # 4 kernels x 11 row lengths x 2 types
    peers.py --json=table.json --resume        # goes on after an interruption
    peers.py --shard=1/4 --json=part1.json     # every fourth cell
    peers.py --ops=softmax --columns=4096,8192 --storage=bf16 --impls=ours,copy,compile

A cell's implementations are timed in one process, in turns, with L2 emptied before each launch;
a row is the median with its 95 % interval. N <= 2048 also as replays of a CUDA graph of at
least 50 launches over buffers that take turns, together at least four times L2. An
implementation that is missing or wrong is a row with an error. The table is that of quack-bench
(README.md here), which merges, prints and draws it: quack-bench --from=table.json --plot=DIR.
Every run adds its rows; none is taken away.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import sys
import time

import torch
import torch.nn.functional as F

COLUMNS = [256 << i for i in range(11)]
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
LARGEST_REPLAY = 2048
REPLAYED_LAUNCHES = 50


def rows_for(columns):
    return 32768 if columns <= 16384 else (1 << 29) // columns


# Kernels: what each implementation computes, as a function of (x, weight, target)


def eager_ops():
    return {
        "softmax": lambda x, w, t: torch.softmax(x, -1),
        "rms_norm": lambda x, w, t: F.rms_norm(x, x.shape[-1:], w, 1e-6),
        "layer_norm": lambda x, w, t: F.layer_norm(x, x.shape[-1:], w, None, 1e-6),
        "cross_entropy": lambda x, w, t: F.cross_entropy(x, t, reduction="none"),
    }


def our_ops():
    import quack_mlir

    return {
        "softmax": lambda x, w, t: quack_mlir.softmax(x),
        "rms_norm": lambda x, w, t: quack_mlir.rms_norm(x, w, eps=1e-6),
        "layer_norm": lambda x, w, t: quack_mlir.layer_norm(x, w, eps=1e-6),
        "cross_entropy": lambda x, w, t: quack_mlir.cross_entropy(x, t, reduction="none"),
    }


def liger_ops():
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    def layer_norm(x, w, t):
        return LigerLayerNormFunction.apply(x, w, torch.zeros_like(w), 1e-6)

    def cross_entropy(x, w, t):
        return LigerCrossEntropyFunction.apply(x, t, None, -100, 0.0, 0.0, "none")[0]

    return {
        "softmax": lambda x, w, t: LigerSoftmaxFunction.apply(x),
        "rms_norm": lambda x, w, t: LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, "llama", False),
        "layer_norm": layer_norm,
        "cross_entropy": cross_entropy,
    }


def quack_ops():
    import quack
    from quack.rmsnorm import layernorm_fwd

    return {
        "softmax": lambda x, w, t: quack.softmax(x),
        "rms_norm": lambda x, w, t: quack.rmsnorm(x, w, eps=1e-6),
        # Its weight must be of f32.
        "layer_norm": lambda x, w, t: layernorm_fwd(x, w.float(), eps=1e-6),
        "cross_entropy": lambda x, w, t: quack.cross_entropy(x, t, reduction="none"),
    }


def cudnn_ops():
    import cudnn  # nvidia-cudnn-frontend

    kinds = {torch.float32: "FLOAT", torch.bfloat16: "BFLOAT16", torch.float16: "HALF"}
    built = {}

    def build(op, x, w):
        graph = cudnn.pygraph(
            intermediate_data_type=cudnn.data_type.FLOAT,
            compute_data_type=cudnn.data_type.FLOAT,
        )

        def describe(tensor, name, shape):
            stride = [shape[1], 1, 1, 1]
            kind = getattr(cudnn.data_type, kinds[tensor.dtype])
            return graph.tensor(name=name, dim=shape, stride=stride, data_type=kind)

        rows, columns = x.shape
        gx = describe(x, "x", [rows, columns, 1, 1])
        gw = describe(w, "w", [1, columns, 1, 1])
        eps = graph.tensor(
            name="eps",
            dim=[1, 1, 1, 1],
            stride=[1, 1, 1, 1],
            is_pass_by_value=True,
            data_type=cudnn.data_type.FLOAT,
        )
        phase = cudnn.norm_forward_phase.INFERENCE
        if op == "rms_norm":
            y, _ = graph.rmsnorm(
                name="n", norm_forward_phase=phase, input=gx, scale=gw, epsilon=eps
            )
            extra = {}
        else:
            gb = describe(w, "b", [1, columns, 1, 1])
            y, _, _ = graph.layernorm(
                name="n", norm_forward_phase=phase, input=gx, scale=gw, bias=gb, epsilon=eps
            )
            extra = {gb: torch.zeros_like(w)}
        y.set_output(True).set_data_type(getattr(cudnn.data_type, kinds[x.dtype]))
        graph.build([cudnn.heur_mode.A])
        space = torch.empty(graph.get_workspace_size(), device="cuda", dtype=torch.uint8)
        number = torch.full((1, 1, 1, 1), 1e-6)

        def run(x, w):
            out = torch.empty_like(x)
            graph.execute({gx: x, gw: w, eps: number, y: out, **extra}, space)
            return out

        return run

    def call(op):
        def apply(x, w, t):
            key = (op, x.shape, x.dtype)
            if key not in built:
                built[key] = build(op, x, w)
            return built[key](x, w)

        return apply

    return {"rms_norm": call("rms_norm"), "layer_norm": call("layer_norm")}


def compiled_ops(mode):
    def wrap(function):
        return torch.compile(function, dynamic=False, mode=mode)

    return {name: wrap(function) for name, function in eager_ops().items()}


IMPLEMENTATIONS = {
    "ours": our_ops,
    "eager": eager_ops,
    "compile": lambda: compiled_ops(None),
    "compile-tuned": lambda: compiled_ops("max-autotune-no-cudagraphs"),
    "liger": liger_ops,
    "quack": quack_ops,
    "cudnn": cudnn_ops,
}

# Copies

_COPY_PROGRAM = """\
quack.kernel @copy(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  quack.store %v, %y : tensor<?xf32>, memref<?x?xf32>
}
"""


def make_copies(size):
    """Returns copies of half of `size` bytes by name, and what they copy to."""
    import quack_mlir

    columns = 4096
    rows = max(size // 2 // (columns * 4), 1)
    source = torch.ones(rows, columns, device="cuda")
    target = torch.empty_like(source)
    copies = {"copy_": lambda: target.copy_(source)}
    runtime = torch.cuda.cudart()
    if hasattr(runtime, "cudaMemcpyAsync"):
        copies["cudaMemcpyAsync"] = lambda: runtime.cudaMemcpyAsync(
            target.data_ptr(), source.data_ptr(), source.nbytes, 3,
            torch.cuda.current_stream().cuda_stream,
        )
    for threads in (128, 256, 512, 1024):
        for store in ("write_back", "streaming"):
            pin = f"threads = {threads}, store = {{y = {store}}}"
            kernel = quack_mlir.compile(_COPY_PROGRAM, pin=pin)
            copies[f"own {threads} {store}"] = lambda k=kernel: k(source, out=target)
    return copies, 2 * source.nbytes


# Measuring


def interval(samples):
    """Returns median, lo and hi: order statistics that hold the median with 95 %."""
    ordered = sorted(samples)
    count = len(ordered)
    rank, below = 0, 0.5**count
    while below + math.comb(count, rank + 1) * 0.5**count <= 0.025:
        rank += 1
        below += math.comb(count, rank) * 0.5**count
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    return middle, ordered[rank], ordered[count - 1 - rank]


def time_in_turns(calls, samples, flush):
    """Returns microseconds of each call, `samples` of them, each with a cold L2."""
    events = {name: [] for name in calls}
    for turn in range(samples + 3):
        for name, call in calls.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush()
            begin.record()
            call()
            end.record()
            if turn >= 3:
                events[name].append((begin, end))
    torch.cuda.synchronize()
    return {
        name: [begin.elapsed_time(end) * 1e3 for begin, end in pairs]
        for name, pairs in events.items()
    }


def bytes_of(op, x, w, t):
    size = x.nbytes
    if op in ("rms_norm", "layer_norm"):
        return 2 * size + w.nbytes
    return 2 * size if op == "softmax" else size + t.nbytes + 4 * x.shape[0]


def reference(op, x, w, t):
    return eager_ops()[op](x.double(), w.double(), t)


def check(op, dtype, result, x, w, t):
    """Returns what is wrong with a result; empty if nothing."""
    step = max(x.shape[0] // 37, 1)
    rows = slice(0, None, step)
    expected = reference(op, x[rows], w, t[rows])
    got = result[rows].double()
    if not torch.isfinite(got).all():
        return "wrong: not finite"
    unit = 2**-8 if dtype == "bf16" else 2**-11 if dtype == "f16" else 2**-18
    if op == "cross_entropy":
        unit = max(unit if result.dtype != torch.float32 else 0, 2**-16)
    error = ((got - expected).abs() / (expected.abs() + expected.abs().mean())).max().item()
    return "" if error <= 4 * unit else f"wrong: {error:.2e} from float64's"


class Cell:
    def __init__(self, op, dtype, columns, rows=None):
        self.op, self.dtype, self.columns = op, dtype, columns
        self.rows = rows or rows_for(columns)

    def key(self):
        return {"op": self.op, "dtype": self.dtype, "N": self.columns, "M": self.rows}

    def make(self, rows=None):
        kind = TYPES[self.dtype]
        x = torch.randn(rows or self.rows, self.columns, device="cuda", dtype=kind)
        w = torch.randn(self.columns, device="cuda", dtype=kind)
        t = torch.randint(self.columns, (x.shape[0],), device="cuda")
        return x, w, t


class Bench:
    def __init__(self, options):
        self.options = options
        self.l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.garbage = torch.empty(
            max(4 * self.l2, 512 << 20) // 4, device="cuda", dtype=torch.int32
        )
        self.missing = {}
        self.makers = {}

    def flush(self):
        self.garbage.fill_(1)

    def functions(self, cell):
        """Returns the implementations of a cell, and errors of those that are missing."""
        # What was compiled for another cell must not count as dynamic here.
        torch._dynamo.reset()
        found, errors = {}, {}
        for name in self.options.impls:
            if name == "copy":
                continue
            try:
                ops = IMPLEMENTATIONS[name]()
            except Exception as error:  # whatever a package does when it is imported
                errors[name] = f"not installed: {type(error).__name__}: {error}"
                continue
            if cell.op in ops:
                found[name] = ops[cell.op]
            else:
                errors[name] = f"has no {cell.op}"
        return found, errors

    def measure(self, cell):
        """Returns the rows of a cell."""
        operands = cell.make()
        size = bytes_of(cell.op, *operands)
        functions, errors = self.functions(cell)
        calls = {}
        for name, function in functions.items():
            try:
                x, w, t = operands
                # One that writes its input is timed on its own copy.
                own = (x.clone(), w, t) if name == "liger" and cell.op == "cross_entropy" else operands
                wrong = check(cell.op, cell.dtype, function(*own), x, w, t)
                if wrong:
                    errors[name] = wrong
                else:
                    calls[name] = lambda f=function, o=own: f(*o)
                torch.cuda.synchronize()
            except Exception as error:
                errors[name] = f"{type(error).__name__}: {str(error)[:300]}"
        copies, copied = make_copies(size)
        trial = time_in_turns(copies, 5, self.flush)
        best = sorted(copies, key=lambda name: interval(trial[name])[0])[:3]
        calls.update({f"copy: {name}": copies[name] for name in best})
        times = time_in_turns(calls, self.options.samples, self.flush)
        rows = self.rows_of(cell, times, size, copied, "launch")
        rows += [
            {**cell.key(), "impl": name, "method": "launch", "error": error}
            for name, error in errors.items()
        ]
        if cell.columns <= LARGEST_REPLAY:
            names = [name for name in calls if not name.startswith("copy: ")]
            rows += self.replay(cell, {name: functions[name] for name in names}, size)
        return rows

    def rows_of(self, cell, times, size, copied, method, **more):
        rows, copies = [], []
        for name, samples in times.items():
            middle, lo, hi = interval(samples)
            row = {**cell.key(), "impl": name, "method": method, "samples": len(samples), **more}
            if name.startswith("copy: "):
                # As long as so many bytes of the cell would take.
                middle, lo, hi = (value * size / copied for value in (middle, lo, hi))
                row.update(impl="copy", kernel=name[6:])
                copies.append(row)
            else:
                rows.append(row)
            row.update(bytes=size, us=middle, lo=lo, hi=hi, tbs=size / middle / 1e6)
        return rows + sorted(copies, key=lambda row: row["us"])[:1]

    def replay(self, cell, functions, size):
        """Returns the rows of replays."""
        places = max(math.ceil(4 * self.l2 / size), 2)
        launches = math.ceil(REPLAYED_LAUNCHES / places) * places
        sets = [cell.make() for _ in range(places)]
        graphs, rows, kept = {}, [], []
        # Whole kilobytes: rows that are not aligned are copied at half the speed.
        half = torch.ones(places, size // 8 // 1024 * 1024, device="cuda")
        targets = torch.empty_like(half)
        functions = dict(functions)
        for name, function in functions.items():
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph):
                    # Results of one round stay, so that they lie in places of their own.
                    for start in range(0, launches, places):
                        kept.append([function(*operands) for operands in sets])
                        if start:
                            kept.pop()
                graphs[name] = graph.replay
            except Exception as error:
                rows.append(
                    {**cell.key(), "impl": name, "method": "replay", "error": str(error)[:300]}
                )
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(launches):
                targets[i % places].copy_(half[i % places])
        graphs["copy: copy_"] = graph.replay
        times = time_in_turns(graphs, self.options.samples, self.flush)
        times = {name: [us / launches for us in samples] for name, samples in times.items()}
        copied = 2 * half[0].nbytes
        more = {"launches": launches, "places": places}
        return rows + self.rows_of(cell, times, size, copied, "replay", **more)


# The table


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def describe_run():
    properties = torch.cuda.get_device_properties(0)
    run = {
        "gpu": properties.name,
        "l2_bytes": properties.L2_cache_size,
        "cuda": torch.version.cuda,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "clocks": None,
        "simulated": False,
    }
    try:
        import pynvml

        pynvml.nvmlInit()
        device = pynvml.nvmlDeviceGetHandleByIndex(0)
        run["driver"] = str(pynvml.nvmlSystemGetDriverVersion())
        run["clocks"] = {
            "sm_mhz": pynvml.nvmlDeviceGetMaxClockInfo(device, pynvml.NVML_CLOCK_SM),
            "memory_mhz": pynvml.nvmlDeviceGetMaxClockInfo(device, pynvml.NVML_CLOCK_MEM),
        }
    except Exception:  # without NVML there are no clocks
        pass
    try:
        import quack_mlir

        run["quack"] = quack_mlir.__version__
    except ImportError:
        pass
    run["versions"] = {
        name: version_of(name)
        for name in (
            "torch triton liger-kernel quack-kernels nvidia-cutlass-dsl nvidia-cudnn-frontend"
        ).split()
    }
    return run


class Table:
    def __init__(self, path):
        self.path = path
        self.content = {"machine": {}, "runs": [], "rows": []}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.content = json.load(file)
        self.run = None

    def has(self, cell):
        return any(
            all(row.get(name) == value for name, value in cell.key().items())
            for row in self.content["rows"]
        )

    def add(self, rows):
        if self.run is None:
            self.run = len(self.content["runs"])
            self.content["runs"].append(describe_run())
            self.content["machine"] = self.content["runs"][0]
        self.content["rows"] += [{**row, "run": self.run} for row in rows]
        if not self.path:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.content, file, indent=1)
            file.write("\n")
        os.replace(self.path + ".new", self.path)


def summarise(rows):
    """Prints the least and the mean of ours over each of the others."""
    cells = {}
    for row in rows:
        if "us" in row:
            key = tuple(row[name] for name in ("op", "dtype", "N", "M", "method"))
            cells.setdefault(key, {})[row["impl"]] = row["us"]
    others = sorted({impl for times in cells.values() for impl in times} - {"ours"})
    for other in [*others, "best peer"]:
        ratios = {}
        for key, times in cells.items():
            peers = [t for name, t in times.items() if name not in ("ours", "copy")]
            theirs = times.get(other) if other != "best peer" else min(peers, default=None)
            if theirs and "ours" in times:
                ratios[key] = theirs / times["ours"]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            least = min(ratios, key=ratios.get)
            print(
                f"{other:14s} time over ours: mean {mean:.3f}, least {ratios[least]:.3f} at "
                f"{' '.join(map(str, least))}, {len(ratios)} cells"
            )


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--ops", type=words, default=list(eager_ops()))
    parser.add_argument("--columns", type=lambda t: [int(n) for n in words(t)], default=COLUMNS)
    parser.add_argument("--storage", type=words, default=["bf16", "f32"])
    parser.add_argument("--impls", type=words, default=[*IMPLEMENTATIONS, "copy"])
    parser.add_argument("--rows", type=int, help="instead of those that follow from N")
    parser.add_argument("--samples", type=int, default=31, help="of each launch (31)")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds of all cells")
    parser.add_argument("--shard", default="1/1", help="i/n: every n-th cell from the i-th on")
    parser.add_argument("--resume", action="store_true", help="leaves out what the table has")
    parser.add_argument("--json", help="the table that rows are added to")
    options = parser.parse_args()
    unknown = [
        *(set(options.ops) - set(eager_ops())),
        *(set(options.impls) - set(IMPLEMENTATIONS) - {"copy"}),
        *(set(options.storage) - set(TYPES)),
    ]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    return options


def main():
    options = parse_options()
    if not torch.cuda.is_available():
        print("peers.py: no GPU", file=sys.stderr)
        return 3
    index, count = map(int, options.shard.split("/"))
    cells = [
        Cell(op, dtype, columns, options.rows)
        for columns in options.columns
        for dtype in options.storage
        for op in options.ops
    ][index - 1 :: count]
    table, bench, start = Table(options.json), Bench(options), time.monotonic()
    added = []
    for cell in cells:
        if options.resume and table.has(cell):
            continue
        if time.monotonic() - start > options.budget:
            print("peers.py: the budget is spent; --resume goes on", file=sys.stderr)
            break
        with torch.no_grad():
            rows = bench.measure(cell)
        table.add(rows)
        added += rows
        print(
            f"{cell.op} {cell.dtype} N={cell.columns}:",
            ", ".join(
                f"{row['impl']}{'*' if row['method'] == 'replay' else ''} "
                + (f"{row['tbs']:.2f}" if "tbs" in row else row["error"].partition(":")[0])
                for row in rows
            ),
            flush=True,
        )
        torch.cuda.empty_cache()
    summarise(table.content["rows"] if options.json else added)
    return 0


if __name__ == "__main__":
    sys.exit(main())
