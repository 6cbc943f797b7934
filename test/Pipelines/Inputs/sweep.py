#!/usr/bin/env python3
# test/Pipelines/Inputs/sweep.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every library kernel for many N and storage types, and checks each
program's PTX text, or what ptxas says of it.

    sweep.py --kernels=DIR [--ptxas=PTXAS [--known=FILE]] --columns=256,4096 --storage=f32,bf16

FILE names programs that spill, a line each; one that does not any more is a fault, too.

Prints one line for each fault, and `PASS: <n> programs` if there is none.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

UNROUNDED = re.compile(r"\b(?:add|sub|mul)(?:\.ftz)?\.f32\b")
FOREIGN = re.compile(r"__nv_|\bcall\b|\.local\b|__local_depot")
# mbarriers, barriers and shuffles that some lanes might not reach.
PARTIAL_SHUFFLE = re.compile(r"shfl\.sync\.\w+\.b32[^;]*, 31, (?!-1;)")
RESOURCES = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads")


def text_faults(ptx, entry=""):
    """Yields what is wrong with a program's text."""
    if match := UNROUNDED.search(ptx):
        yield f"'{match[0]}' does not name its rounding"
    if match := FOREIGN.search(ptx):
        yield f"'{match[0]}' does not belong in a kernel"
    if PARTIAL_SHUFFLE.search(ptx):
        yield "a shuffle is not by the whole warp"
    # C09: rows beyond M take part to the end.
    if ptx.count("ret;") != 1 or "exit;" in ptx:
        yield f"{ptx.count('ret;')} returns: a thread must not leave early"
    # C08
    arrives = len(re.findall(r"barrier\.cluster\.arrive", ptx))
    waits = len(re.findall(r"barrier\.cluster\.wait", ptx))
    if arrives != waits:
        yield f"{arrives} arrivals at the cluster's barrier, {waits} waits"
    # C05
    if "st.async" in ptx:
        order = [ptx.find(text) for text in (
            "mbarrier.init", "fence.mbarrier_init.release.cluster",
            "barrier.cluster.arrive", "barrier.cluster.wait", "st.async",
            "mbarrier.try_wait.parity.acquire.cluster")]
        if -1 in order or order != sorted(order):
            yield "init, fence, arrive, wait, st.async and try_wait do not follow"
    # S01; what folds partial sums has no rows.
    if not re.match(r"\s*\w+_fold\(", entry) and not re.search(r"\b(?:mul\.lo|mad\.lo)\.s64\b", ptx):
        yield "the row's offset is not 64 bits wide"
    if "ld.global" not in ptx and "cp.async" not in ptx:
        yield "nothing is read"


def ptxas_faults(ptxas, path):
    run = subprocess.run([ptxas, "-arch=sm_90", "-v", path, "-o", "/dev/null"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        yield f"ptxas: {run.stdout}{run.stderr}"
        return
    found = RESOURCES.findall(run.stderr)
    if not found:
        yield "ptxas reports no resources"
    for stack, stores, loads in found:
        if (stack, stores, loads) != ("0", "0", "0"):
            yield (f"{stack} bytes of stack, {stores} of spill stores, "
                   f"{loads} of spill loads")


def check(options, kernel, columns, storage, folder):
    """Returns the faults of one program."""
    name = f"{kernel.stem} N={columns} {storage}"
    path = Path(folder) / f"{kernel.stem}-{columns}-{storage}.ptx"
    run = subprocess.run(
        ["quack-opt", kernel, f"--columns={columns}", f"--storage={storage}",
         *([f"--picks={min(32, int(columns))}"] if " picks" in kernel.read_text() else []),
         "--emit=ptx", "-o", path], capture_output=True, text=True)
    if run.returncode != 0:
        return [f"{name}: {run.stderr}"]
    # What comes before an entry is the same for all.
    head, *entries = path.read_text().split(".visible .entry")
    faults = [fault for entry in entries for fault in text_faults(head + entry, entry)]
    if options.ptxas:
        faults += ptxas_faults(options.ptxas, path)
    return [f"{name}: {fault}" for fault in faults]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--known", type=Path)
    parser.add_argument("--columns", required=True)
    parser.add_argument("--storage", required=True)
    options = parser.parse_args()
    kernels = sorted(Path(options.kernels).glob("*.mlir"))
    # Of rows that are longer, no cluster holds the sum over rows, and none takes them whole.
    sums = re.compile(r"quack\.accumulate .* : tensor|memref<f32> out single[,)]")

    longest = {kernel: 262144 if sums.search(kernel.read_text()) else 1 << 30
               for kernel in kernels}
    programs = [program for program in product(kernels, options.columns.split(","),
                                               options.storage.split(","))
                if int(program[1]) <= longest[program[0]]]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda p: check(options, *p, folder), programs))
    faults = [fault for result in results for fault in result]
    known = set()
    if options.known:
        lines = options.known.read_text().splitlines()
        known = {line for line in lines if line and not line.startswith("#")}
    spilling = {fault.partition(":")[0] for fault in faults if "spill stores" in fault}
    faults = [fault for fault in faults
              if "spill stores" not in fault or fault.partition(":")[0] not in known]
    run = {f"{kernel.stem} N={columns} {storage}" for kernel, columns, storage in programs}
    faults += [f"{name}: does not spill any more"
               for name in sorted((known & run) - spilling)]
    for fault in faults:
        print(fault)
    if faults or not programs:
        sys.exit(1)
    print(f"PASS: {len(programs)} programs")


if __name__ == "__main__":
    main()
