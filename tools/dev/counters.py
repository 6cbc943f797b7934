#!/usr/bin/env python3
# tools/dev/counters.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the simulator's counters with a GPU's, as ncu reads them.

    tools/dev/counters.py emit DIR [BIN]     the compiler's kernels, as PTX
    tools/dev/counters.py measure DIR        on the GPU's machine, under ncu
    tools/dev/counters.py compare DIR [BIN]  quack-sim against what was measured
    tools/dev/counters.py keep DIR           the numbers that a test compares
    tools/dev/counters.py test [BIN]         quack-sim against those kept

The kernels are those of test/Simulator/Cuda, accesses to shared memory in many
patterns, and what quack-opt makes of library kernels. DIR/ncu.json holds what
ncu read; BIN is the folder of quack-opt and quack-sim: that of the PATH, or
build/bin. `keep` writes test/Simulator/Cuda/expected/counters.tsv, and keeps the
compiler's PTX as it was measured in test/Simulator/Cuda/compiled.
"""

import csv
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test" / "Simulator" / name)
             for name in ("Cuda", "Inputs")]

import corpus
import npy
from corpus import Launch

NCU_PLACES = ["/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu"]

# Those that this chip's ncu does not know are left out.
METRICS = """
smsp__inst_executed smsp__inst_executed_pipe_lsu l1tex__lsuin_requests
smsp__inst_executed_op_global_ld smsp__inst_executed_op_global_st
smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st
smsp__inst_executed_op_shared_atom smsp__inst_executed_op_ldgsts
smsp__inst_executed_op_shared smsp__inst_executed_op_shfl
smsp__sass_inst_executed_op_shared smsp__sass_inst_executed_op_shared_ld
smsp__sass_inst_executed_op_shared_st
l1tex__t_requests_pipe_lsu_mem_global_op_ld
l1tex__t_requests_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_ld
l1tex__t_sectors_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit
l1tex__t_sectors_pipe_lsu_mem_global_op_atom
l1tex__t_sectors_pipe_lsu_mem_global_op_red
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass
l1tex__t_sectors_pipe_lsu_mem_local_op_ld
l1tex__t_sectors_pipe_lsu_mem_local_op_st
l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld
l1tex__t_sectors_pipe_lsu_mem_dshared_op_st
smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld
smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st
l1tex__data_pipe_lsu_wavefronts l1tex__data_pipe_lsu_wavefronts_mem_lg
l1tex__data_pipe_lsu_wavefronts_mem_shared
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_red
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts
l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_read
l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_write
l1tex__data_bank_conflicts_pipe_lsu_mem_shared
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
l1tex__data_bank_reads l1tex__data_bank_writes
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st
smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared
""".split()

# Places of lanes, in units of the access; all below 1024 words.
PATTERNS = {
    "linear": "i",
    "reversed": "31 - i",
    "broadcast": "7",
    "pairs": "i // 2",
    "quads": "i // 4",
    "eights": "i // 8",
    "repeat16": "i % 16",
    "repeat8": "i % 8",
    "repeat4": "i % 4",
    "stride2": "i * 2",
    "stride3": "i * 3",
    "stride4": "i * 4",
    "stride8": "i * 8",
    "permuted": "i * 9 % 32",
    "exchanged": "i ^ 17",
    "scattered": "(i * 2654435761 >> 7) % 251",
    "squares": "i * i % 97",
    "odd": "i if i % 2 else -1",
    "lower": "i if i < 16 else -1",
    "one": "3 if i == 9 else -1",
    "quarter": "i * 8 if i % 4 == 1 else -1",
    "halves": "i % 16 * 2 + i // 16",
    "rows": "i % 8 + i // 8 * 32",
    "columns": "i % 4 * 8 + i // 4",
    "stepped": "i + i // 8",
    # Lanes whose neighbour, or next but one, asks for the same.
    "alternate": "i & ~2",
    "dense alternate": "i // 4 * 2 + i % 2",
    "lower pairs": "i // 2 if i < 16 else i",
    "lower alternate": "i & ~2 if i < 16 else i",
    "mixed pairs": "i // 2 if i < 16 else i & ~2",
    "eighth pairs": "i // 2 if i < 8 else i",
    "odd pairs": "(i + 1) // 2",
    "upper quarters": "i if i >= 16 else i // 8 * 8",
    "pairs apart": "i // 2 * 16 % 256",
    "pairs and none": "i // 2 if i % 4 != 3 else -1",
}


@dataclasses.dataclass
class Emitted:
    """A library kernel under a plan; 24 rows of it."""
    kernel: str
    columns: int
    storage: str
    plan: str
    rows: int = 24

    @property
    def name(self):
        return f"{self.kernel}-{self.columns}-{self.storage}"

    def emit(self, tool, folder):
        subprocess.run(
            [tool, ROOT / "lib" / "Kernels" / f"{self.kernel}.mlir",
             f"--columns={self.columns}", f"--storage={self.storage}",
             f"--pin={self.plan}", "--emit=ptx", "-o",
             folder / f"{self.name}.ptx"], check=True)

    def launch(self, folder):
        kernel = json.loads(
            (folder / f"{self.name}.json").read_text())["kernels"][0]
        cluster = kernel["cluster"]
        blocks = -(-self.rows // kernel["rows_per_tile"]) * cluster
        # bf16 is the upper half of f32: pairs of values near those of floats.
        words = self.rows * self.columns // (1 if self.storage == "f32" else 2)
        isScalar = kernel["abi"]["operands"][1]["role"] == "scalar"
        stride = 1 if isScalar else self.columns
        arguments = [f"floats:{words}:50:-4:4", f"i64:{self.columns}",
                     f"out:{self.rows if isScalar else words}",
                     f"i64:{stride}", f"i64:{self.rows}"]
        if self.kernel == "l2_normalize":
            arguments.append("f32:0.001")
        return Launch(str((folder / self.name).resolve()), self.kernel,
                      str(blocks), str(kernel["threads"]), arguments, cluster,
                      kernel["shared_bytes"], variant=f"-{self.name}")


EMITTED = [
    Emitted("softmax", 1024, "f32", "threads = 128, threads_per_row = 32"),
    Emitted("softmax", 4096, "f32",
            "threads = 128, threads_per_row = 128, hold = {x = registers}"),
    Emitted("softmax", 8192, "bf16",
            "threads = 128, threads_per_row = 128, cluster = 4"),
    Emitted("sum", 4096, "f32", "threads = 128, threads_per_row = 128"),
    Emitted("l2_normalize", 4096, "bf16",
            "threads = 128, threads_per_row = 64, rows_per_thread = 2"),
    Emitted("log_softmax", 2048, "f32",
            "threads = 128, threads_per_row = 64, hold = {x = async}"),
]


COMPILED = corpus.FOLDER / "compiled"


def launches(folder=COMPILED):
    """All that is measured, in order, with the compiler's kernels of `folder`."""
    yield from corpus.LAUNCHES
    for name, formula in PATTERNS.items():
        places = f"places:32:{formula}"
        for width in (4, 8, 16):
            for kind, words in (("load", 32), ("store", 1024)):
                yield Launch("wavefronts", f"{kind}{width}", "1", "32",
                             [places, f"out:{words}"], variant=f"-{name}")
        yield Launch("wavefronts", "atomic4", "1", "32", [places, "out:1024"],
                     variant=f"-{name}")
    for emitted in EMITTED:
        yield emitted.launch(folder)


def run_on_gpu(folder):
    """What runs under ncu."""
    from cuda_driver import Gpu, scalar
    gpu, modules = Gpu(), {}
    for launch in launches(folder):
        path = corpus.FOLDER / f"{launch.file}.ptx"
        if path not in modules:
            modules[path] = gpu.load(path.read_text())
        arguments = []
        for text in launch.arguments:
            if not corpus.is_array(text):
                arguments.append(scalar(text))
                continue
            data = (bytes(4 * int(text.split(":")[1]))
                    if text.startswith("out:") else corpus.generate(text))
            arguments.append(struct.pack("<Q", gpu.upload(data).value))
        gpu.launch(modules[path], launch.kernel, launch.extent("grid"),
                   launch.extent("block"), launch.cluster, launch.shared,
                   arguments)


def find_ncu():
    found = shutil.which("ncu")
    for place in NCU_PLACES:
        if not found:
            root, pattern = place[1:].split("/", 1)
            found = next(iter(sorted(pathlib.Path("/", root).glob(pattern))),
                         None)
    return found or sys.exit("counters: no ncu on this machine")


def measure(folder):
    ncu = find_ncu()
    known = subprocess.run([ncu, "--query-metrics", "--chips", "gh100"],
                           stdout=subprocess.PIPE, text=True).stdout
    names = set(re.findall(r"^(\w+__\w+)", known, re.M))
    (folder / "metrics.txt").write_text(known)
    metrics = [m for m in METRICS if m in names] if names else METRICS
    print("not known here:", *sorted(set(METRICS) - set(metrics)))
    # The clocks stay as they are: --clock-control none.
    command = [ncu, "--clock-control", "none", "--csv", "--page", "raw",
               "--print-units", "base", "--metrics",
               ",".join(m + ".sum" for m in metrics), sys.executable, __file__,
               "run", str(folder)]
    with open(folder / "ncu.csv", "w") as file:
        subprocess.run(command, stdout=file, stderr=subprocess.STDOUT)
    # Lines of ncu itself begin with ==.
    lines = [line for line in (folder / "ncu.csv").read_text().splitlines()
             if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first one holds the units
    result = {}
    for launch, row in zip(launches(folder), rows):
        assert launch.kernel in row["Kernel Name"], (launch.name, row)
        result[launch.name] = {
            key[:-len(".sum")]: float(value.replace(",", ""))
            for key, value in row.items()
            if key.endswith(".sum") and value.replace(",", "").replace(
                ".", "").isdigit()}
    (folder / "ncu.json").write_text(json.dumps(result, indent=1))
    print(f"{len(result)} of {len(list(launches(folder)))} launches measured")


# What is compared. All wavefronts of shared memory are those of its loads, stores
# and atomics, those of "shared others", which access nothing, and two more. The
# others are one for each shuffle, for each completed barrier of a CTA, for each
# warp's arrival at a cluster's barrier and each wait there, and for each time
# that a warp asks for its threads' numbers or masks (once for each that the PTX
# reads). PTX doesn't tell of instructions that are predicated off in all lanes,
# one each, nor of conflicts with other traffic, which differ from run to run.
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_"
OPERATIONS = {"loads": "_op_ld", "stores": "_op_st", "atomics": "_op_atom"}
COMPARED = [*[f"shared {kind}" for kind in OPERATIONS], "shared others",
            "global loads", "global stores"]
NOT_COMPARED = ["shared off", "shared conflicts"]


def simulate(launch, tool, folder):
    """Returns the simulator's counters, by the names of COMPARED."""
    source = corpus.FOLDER / f"{launch.file}.ptx"
    command = [tool, str(source),
               f"--kernel={launch.kernel}", f"--grid={launch.grid}",
               f"--block={launch.block}", f"--cluster={launch.cluster}",
               f"--shared={launch.shared}", "--checks=none", "--report=json"]
    for number, text in enumerate(launch.arguments):
        path = folder / f"{number}.npy"
        if text.startswith("out:"):
            text = f"out:{path}:f32:{text.split(':')[1]}"
        elif corpus.is_array(text):
            npy.write(path, corpus.generate(text))
            text = str(path)
        command.append(f"--arg={text}")
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr.strip()
    report = json.loads(done.stdout)
    counts = dict.fromkeys(COMPARED, 0)
    lines, asked = source.read_text().splitlines(), {}
    for instruction in report["instructions"]:
        text, warps = instruction["text"], instruction["warps"]
        for which in re.findall(r"%(?:tid\.[xyz]|laneid|lanemask_\w+)",
                                lines[instruction["line"] - 1]):
            asked[which] = max(asked.get(which, 0), warps)
        if text.startswith(("shfl", "barrier.cluster")):
            counts["shared others"] += warps
        if text.startswith("barrier.cluster.arrive"):
            warpsOfCluster = launch.cluster * -(
                -math.prod(launch.extent("block")) // 32)
            counts["shared others"] -= warps // warpsOfCluster
        kind = ("loads" if text.startswith(("ld", "cp.async.c")) else
                "stores" if text.startswith("st") else "atomics")
        for space, what in (("shared", "wavefronts"), ("global", "sectors")):
            if space in instruction and f"{space} {kind}" in counts:
                counts[f"{space} {kind}"] += instruction[space][what]
    counts["shared others"] += report["barriers"] + sum(asked.values())
    return counts


KEPT = corpus.FOLDER / "expected" / "counters.tsv"

# Not compared, and why: ptxas's code, as nvdisasm shows it, has other accesses
# than the PTX, or time decides how often.
CHANCE = "time decides how often"
EXCEPTED = {
    "matmul": {"shared loads": "four loads of a row are one"},
    "banks": {"shared loads": "loads of one thread are joined"},
    "log_softmax-log_softmax-2048-f32": {
        "shared loads": "8 of 25 loads are joined with earlier ones"},
    "parameters": {"global loads": "what is known is not loaded"},
    "calls": dict.fromkeys(("global loads", "global stores"),
                           "the stack of recursive calls"),
    "widths": {"global loads": "two of 4 bytes for one of 16, half of it used"},
    "chainedScan": dict.fromkeys(
        ("shared loads", "shared others", "global loads"), CHANCE),
    "atomics": dict.fromkeys(
        ("shared loads", "shared atomics", "shared others", "global loads"),
        "loops of compare-and-swap; " + CHANCE),
    "pipelineFill": {"shared others": "4 more: one for each cp.async.ca?"},
    "l2_normalize-l2_normalize-4096-bf16": {
        "shared others": "each warp asks twice for its threads' numbers"},
    "gridReduce": {"shared others": "20 more: fences? not understood"},
    "clusterReduce": {"shared loads": "loads of one thread are joined",
                      "shared others": "ptxas reads other registers, 16 times"},
    # What mbarriers in the generic proxy and bulk copies add is not understood.
    "blockBarrier": {"shared others": "16 more"},
    "bulkCopy": {"shared others": "18 more"},
    "bulkCluster": {"shared others": "83 more; differs from run to run"},
    "bulkReduce": {"shared others": "22 more; differs from run to run"},
    "softmax-softmax-8192-bf16": {"shared others": "24 more"},
    "votingBarriers": {"shared others": "4 fewer: bar.red, not understood"},
}


def read_measured(folder):
    """What ncu read of each launch, by the names of COMPARED and NOT_COMPARED."""
    result = {}
    for launch, full in json.loads((folder / "ncu.json").read_text()).items():
        def operations(metric):
            return [full.get(metric + kind, 0) for kind in OPERATIONS.values()]

        # cp.async is a global load.
        executed = {kind: full["smsp__inst_executed_op_" + kind] for kind in
                    ("shared_ld", "shared_st", "global_ld", "global_st",
                     "ldgsts")}
        executed["global_ld"] += executed.pop("ldgsts")
        off = sum(max(0, count - full[
            "smsp__sass_inst_executed_op_" + kind if kind.startswith("shared")
            else REQUESTS + kind[-2:]]) for kind, count in executed.items())
        conflicts = full[CONFLICTS] - sum(operations(CONFLICTS))
        others = (full[WAVEFRONTS] - sum(operations(WAVEFRONTS)) - off -
                  conflicts)
        values = [*operations(WAVEFRONTS), others, full[SECTORS + "ld"],
                  full[SECTORS + "st"], off, conflicts]
        result[launch] = dict(zip(COMPARED + NOT_COMPARED, map(round, values)))
    return result


def keep(folder):
    lines = ["\t".join(["launch", *COMPARED, *NOT_COMPARED])]
    for launch, counts in read_measured(folder).items():
        lines.append("\t".join([launch, *map(str, counts.values())]))
    KEPT.write_text("\n".join(lines) + "\n")
    COMPILED.mkdir(exist_ok=True)
    for emitted in EMITTED:
        for suffix in ("ptx", "json"):
            shutil.copy(folder / f"{emitted.name}.{suffix}", COMPILED)


def read_kept():
    header, *lines = [line.split("\t")
                      for line in KEPT.read_text().splitlines()]
    return {name: dict(zip(header[1:], map(int, counts)))
            for name, *counts in lines}


def compare(folder, measured, tool):
    """Prints a line for each launch that differs; returns how many do."""
    same, differ, whole = 0, 0, []
    with tempfile.TemporaryDirectory() as temporary:
        for launch in launches(folder):
            if launch.name not in measured:
                continue
            wanted = measured[launch.name]
            counts = simulate(launch, tool, pathlib.Path(temporary))
            if isinstance(counts, str):
                wrong = counts
            else:
                excepted = EXCEPTED.get(launch.name, {})
                wrong = "; ".join(
                    f"{name} {counts[name]}, ncu {wanted[name]}"
                    for name in COMPARED
                    if counts[name] != wanted[name] and name not in excepted)
            if wrong:
                print(f"{launch.name}: {wrong}")
                differ += 1
                continue
            same += 1
            if all(counts.get(name, 0) == wanted[name] for name in wanted
                   if name.startswith("shared")):
                whole.append(launch)
    # Of these, those that there is something to say of.
    names = [launch.name for launch in whole if launch.file != "wavefronts" and
             any(measured[launch.name][f"shared {kind}"]
                 for kind in OPERATIONS)]
    print(f"all wavefronts of shared memory agree in {len(whole)} launches:",
          *names)
    print(f"{same} launches agree with ncu, {differ} do not")
    return differ


def main():
    verb, *rest = sys.argv[1:] or [""]
    if verb not in ("emit", "measure", "run", "compare", "keep", "test") or (
            verb != "test" and not rest):
        sys.exit(__doc__)
    folder = COMPILED if verb == "test" else pathlib.Path(rest.pop(0))
    folder.mkdir(parents=True, exist_ok=True)
    found = shutil.which("quack-sim")
    tools = (pathlib.Path(rest[0]) if rest else
             pathlib.Path(found).parent if found else ROOT / "build" / "bin")
    if verb == "emit":
        for emitted in EMITTED:
            emitted.emit(tools / "quack-opt", folder)
    elif verb == "measure":
        measure(folder)
    elif verb == "run":
        run_on_gpu(folder)
    elif verb == "keep":
        keep(folder)
    elif compare(folder, read_kept() if verb == "test" else
                 read_measured(folder), tools / "quack-sim"):
        sys.exit(1)


if __name__ == "__main__":
    main()
