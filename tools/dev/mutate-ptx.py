#!/usr/bin/env python3
# tools/dev/mutate-ptx.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that the simulator's checks see: breaks each synchronising instruction
of the library's PTX, one at a time, and expects a report at the fault's line.

    tools/dev/mutate-ptx.py                   everything (minutes)
    tools/dev/mutate-ptx.py --sample=200      evenly chosen mutants
    tools/dev/mutate-ptx.py --only='softmax-8192-*' --verbose

Every mutant runs under the eager, the lazy and random schedules until a check
reports it. Exits 1 if one is not reported and does not stand in the list of
equivalent mutants; if a report is not at the fault; if an unbroken kernel is not
clean; if an entry of the list fits no surviving mutant of a whole run, or if
more than one in twenty is listed.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ptx_mutants import all_mutants, is_at_fault

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "test" / "Simulator" / "Inputs" / "mutants-equivalent.txt"
SCHEDULES = "eager,lazy,random:1-24"
FEW_SCHEDULES = "eager,lazy,random:1-2"  # of unbroken kernels, for a sample
MOST_LISTED = 0.05
# A report of these says that something is wrong, not what.
VAGUE = {"schedule-dependent", "step-limit"}

# One kernel for each form of reduction: a sum, a maximum, a pair that is merged online,
# moments, places of extremes, an element taken by its index.
KERNELS = ["argmax", "cross_entropy", "l2_normalize", "layer_norm", "log_softmax", "logsumexp",
           "max", "mean", "softmax", "sum"]
SIZES = {"f32": 4, "bf16": 2, "f16": 2, "i32": 4, "i64": 8}
# What the planner picks, then each form of hold and of exchange.
PLANS = {
    8192: [
        ("f32", ""), ("bf16", ""),
        ("f32", "hold = {x = async}"), ("bf16", "hold = {x = bulk}"),
        ("f32", "hold = {x = reload}"),
        ("f32", "cluster = 4, exchange = warps"),
        ("bf16", "cluster = 2, exchange = ctas, hold = {x = async}"),
        ("bf16", "threads = 128, threads_per_row = 64, rows_per_thread = 2, "
                 "cluster = 4, hold = {x = bulk}"),
    ],
    131072: [
        ("f32", ""), ("bf16", ""),
        ("f32", "cluster = 8, hold = {x = async}"),
        ("bf16", "cluster = 4, exchange = ctas, hold = {x = bulk}"),
        ("f32", "cluster = 16, exchange = ctas"),
        ("bf16", "hold = {x = reload}, cluster = 2"),
    ],
}


class Launch:
    """A kernel's PTX with what quack-sim must be told to run it."""

    def __init__(self, name, ptx, metadata, in_place):
        self.name = name
        self.text = ptx
        self.lines = ptx.splitlines()
        self.in_place = in_place
        self.threads = metadata["threads"]
        rows = 2 * metadata["rows_per_tile"]
        self.options = [f"--grid={2 * metadata['cluster']}",
                        f"--block={self.threads}",
                        f"--cluster={metadata['cluster']}",
                        f"--shared={metadata['shared_bytes']}"]
        for operand in metadata["abi"]["operands"]:
            role = operand["role"]
            if role == "value":
                continue
            columns = metadata["columns"] if role in ("row", "columns") else 1
            count = columns * (1 if role == "columns" else rows)
            self.options.append(
                "--arg=same:0" if in_place and operand["direction"] == "out"
                else f"--arg=zeros:{count * SIZES[operand['type']]}")
            if role != "columns":
                self.options.append(f"--arg=i64:{columns}")
        self.options.append(f"--arg=i64:{rows}")
        self.options += ["--arg=f32:1e-6"
                         for operand in metadata["abi"]["operands"]
                         if operand["role"] == "value"]


class Outcome:
    """What a mutant's runs reported."""

    def __init__(self, launch, mutant, output, status):
        self.launch, self.mutant = launch, mutant
        faults = re.findall(r"line (\d+): ([\w-]+): (.*)", output)
        self.refused = status == 1
        self.vague = "schedule-dependent" in output
        self.kinds = [kind for _, kind, _ in faults if kind not in VAGUE]
        self.is_placed = any(
            is_at_fault(launch.lines, mutant,
                        {int(line), *map(int, re.findall(r"line (\d+)", text))},
                        kind)
            for line, kind, text in faults if kind not in VAGUE)
        self.output = "".join(f"    {line.partition(': ')[2]}\n"
                              for line in output.splitlines()[:4])

    def is_reported(self):
        return bool(self.kinds)

    def describe(self):
        mutant = self.mutant
        return (f"{self.launch.name}:{mutant.line}: {mutant.kind}: "
                f"{mutant.old}")


def compile_one(arguments, folder, name, kernel, columns, storage, pin):
    """Returns the launch of a kernel under a plan."""
    path = folder / f"{name}.ptx"
    pins = ", ".join(filter(None, [pin, "alignment = vector"]))
    subprocess.run(
        [arguments.build / "bin" / "quack-opt", kernel,
         f"--columns={columns}", f"--storage={storage}", f"--pin={pins}",
         "--emit=ptx", "-o", path], check=True)
    document = json.loads(path.with_suffix(".json").read_text())
    metadata = document["kernels"][0]
    has_rows = all(operand["role"] != "scalar"
                   for operand in metadata["abi"]["operands"])
    return Launch(name, path.read_text(), metadata,
                  in_place="reload" in pin and has_rows)


def compile_all(arguments, folder, pool):
    """Returns the launches that --only selects."""
    jobs = []
    for kernel in (ROOT / "lib" / "Kernels" / f"{name}.mlir" for name in KERNELS):
        for columns, plans in PLANS.items():
            for storage, pin in plans:
                name = f"{kernel.stem}-{columns}-{storage}" + (
                    "-" + re.sub(r"[^\w]+", "-", pin).strip("-") if pin else "")
                if fnmatch.fnmatch(name, arguments.only):
                    jobs.append(pool.submit(compile_one, arguments, folder,
                                            name, kernel, columns, storage,
                                            pin))
    return [job.result() for job in jobs]


def simulate(arguments, launch, text, folder, schedules=SCHEDULES):
    """Runs a text; returns what quack-sim printed, and its status."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", dir=folder,
                                     delete=True) as file:
        file.write(text)
        file.flush()
        result = subprocess.run(
            [arguments.build / "bin" / "quack-sim", file.name, *launch.options,
             f"--schedule={schedules}", f"--steps={1 << 22}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=300)
    return result.stdout, result.returncode


def read_list():
    """Returns the entries (launches, mutant, instruction, proof) of the list."""
    entries = []
    for line in LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 4 or not all(fields):
                sys.exit(f"{LIST}: not 'launches | mutant | instruction | "
                         f"proof': {line}")
            entries.append(tuple(fields))
    return entries


def find_entry(entries, outcome):
    """Returns the entry that lists the mutant, if one does."""
    for entry in entries:
        launches, kind, pattern, _ = entry
        if (fnmatch.fnmatch(outcome.launch.name, launches) and
                kind == outcome.mutant.kind and
                re.search(pattern, outcome.mutant.old)):
            return entry
    return None


def judge(outcomes, is_whole, verbose):
    """Prints what is wrong; returns the number of faults."""
    entries = read_list()
    used, listed, wrong = set(), 0, 0
    for outcome in outcomes:
        if outcome.refused:
            print(f"refused: {outcome.describe()}\n{outcome.output}", end="")
            wrong += 1
        elif not outcome.is_reported():
            entry = find_entry(entries, outcome)
            if entry:
                used.add(entry)
                listed += 1
            else:
                print(f"not reported: {outcome.describe()}" +
                      (" (but the schedules' results differ)"
                       if outcome.vague else ""))
                wrong += 1
        elif not outcome.is_placed:
            print(f"not at the fault: {outcome.describe()}\n{outcome.output}",
                  end="")
            wrong += 1
        elif verbose:
            print(f"{outcome.describe()}: {', '.join(outcome.kinds)}")
    if is_whole:
        for entry in set(entries) - used:
            print(f"no such survivor: {' | '.join(entry)}")
            wrong += 1
    kinds = collections.Counter(o.kinds[0] for o in outcomes if o.kinds)
    for kind, count in kinds.most_common():
        print(f"{count:7} {kind}")
    print(f"{len(outcomes)} mutants, {sum(kinds.values())} reported, {listed} "
          f"equivalent ({listed / max(1, len(outcomes)):.1%}), {wrong} wrong")
    if listed > MOST_LISTED * len(outcomes):
        print(f"more than {MOST_LISTED:.0%} are listed as equivalent")
        wrong += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", default="*", help="launches, as a glob")
    parser.add_argument("--sample", type=int, help="how many mutants to run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = Path(name)
        launches = compile_all(arguments, folder, pool)
        work = [(launch, mutant) for launch in launches
                for mutant in all_mutants(launch.text, launch.threads,
                                          launch.in_place)]
        if not work:
            sys.exit("mutate-ptx.py: nothing to mutate")
        if arguments.sample:
            work = work[::max(1, len(work) // arguments.sample)]

        def run(item):
            launch, mutant = item
            return Outcome(launch, mutant, *simulate(
                arguments, launch, mutant.apply(launch.lines), folder))

        def run_clean(launch):
            return launch, simulate(
                arguments, launch, launch.text, folder,
                FEW_SCHEDULES if arguments.sample else SCHEDULES)

        chosen = {launch.name: launch for launch, _ in work}.values()
        for launch, (output, status) in pool.map(run_clean, chosen):
            if status != 0:
                print(f"not clean: {launch.name}\n{output}")
                wrong += 1
        outcomes = list(pool.map(run, work))
    is_whole = arguments.only == "*" and not arguments.sample
    wrong += judge(outcomes, is_whole, arguments.verbose)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
