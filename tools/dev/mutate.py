#!/usr/bin/env python3
# tools/dev/mutate.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that tests can fail: plants faults and expects the tests to see them.

    tools/dev/mutate.py              all faults (ten minutes on two cores)
    tools/dev/mutate.py NAME ...     only these
    tools/dev/mutate.py --list       their names and what they break

Works on a copy of the sources in build/mutate, built there. Each fault is a
change of one line that a person might make; after it the semantic tests must
fail. Exits 1 if they pass, or if a fault no longer fits the sources: then write
it anew, don't drop it.
"""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutate"
TESTS = "Semantics"

# A fault may make a test grow or loop for ever.
MEMORY_BYTES = 3 << 30
SECONDS = 300

TILE_BUILDER = "lib/Conversion/QuackToQuackTV/TileBuilder.cpp"
ONLINE_PAIR = "lib/Transforms/OnlinePair.cpp"
PLACE_BARRIERS = "lib/Transforms/PlaceBarriers.cpp"
SPLIT_STAGES = "lib/Transforms/SplitStages.cpp"

# name: (what it breaks, file, old text, new text). The old text stands in the
# file once; spaces and line breaks in it match any.
FAULTS = {
    "no-mask": (
        "padding enters the reductions", TILE_BUILDER,
        "if (columns < shape.columns)", "if (columns > shape.columns)"),
    "mask-one-late": (
        "the first padded column enters", TILE_BUILDER,
        "tv::MaskOp::create(b, loc, row, columns,",
        "tv::MaskOp::create(b, loc, row, columns + 1,"),
    "zero-as-identity": (
        "padding is zero whatever the reduction", TILE_BUILDER,
        "getIdentity(kind, type.getElementType())",
        "b.getZeroAttr(type.getElementType())"),
    "init-twice": (
        "an init joins more than once", TILE_BUILDER,
        "createCombine(b, loc, kind, init, result)",
        "createCombine(b, loc, kind, init, "
        "createCombine(b, loc, kind, init, result))"),
    "scale-forgotten": (
        "dividing by a huge or tiny scalar", TILE_BUILDER,
        "arith::MulFOp::create(b, loc, row, spread(scale))",
        "arith::MulFOp::create(b, loc, row, spread(constant(1.0)))"),
    "rows-not-restrided": (
        "a partial tile keeps the strides of the whole one",
        "lib/Layout/TVLayout.cpp",
        "mode.stride / tile.columns * result.columns", "mode.stride"),
    "thread-sum-unguarded": (
        "a thread that sees only -inf makes NaN", ONLINE_PAIR,
        "Value finite = createFinite(b, loc, max.getResult());",
        "Value finite = max.getResult();"),
    "merge-unguarded": (
        "two partials of -inf merge to NaN", ONLINE_PAIR,
        "Value finite = createFinite(b, loc, m);", "Value finite = m;"),
    "merge-not-rescaled": (
        "partial sums keep their own maximum", ONLINE_PAIR,
        "Value left = rescaled(m0, s0)", "Value left = s0"),
    "pair-not-finished": (
        "what the program subtracts is left out", ONLINE_PAIR,
        "sum.replaceAllUsesWith(fixedSum)", "sum.replaceAllUsesWith(values[1])"),
    "pair-of-any-maximum": (
        "the maximum of another value is taken for the row's", ONLINE_PAIR,
        "!isSameUpToPass(skipMask(pair.max.thread.getSource()), "
        "pair.difference.getLhs())", "false"),
    "kinds-swapped": (
        "shared steps combine by each other's kind",
        "lib/Transforms/FuseReductions.cpp",
        "for (StepOp step : {first, second})",
        "for (StepOp step : {second, first})"),
    "no-barrier": (
        "partials are collected before all have written", PLACE_BARRIERS,
        "tv::BarrierOp::create(b, loc); } auto collect",
        "} auto collect"),
    "mbarrier-unseen": (
        "threads wait on an mbarrier that they may not see", PLACE_BARRIERS,
        "b.setInsertionPoint(firstBulkAwait); tv::BarrierOp::create(b, loc);",
        "b.setInsertionPoint(firstBulkAwait);"),
    "bytes-of-one-value": (
        "an mbarrier expects one value of several", PLACE_BARRIERS,
        "allocateBarrier(bytes))",
        "allocateBarrier(shape.rows * shape.columns * 4))"),
    "buffer-too-small": (
        "a slot holds one value of several", PLACE_BARRIERS,
        "int64_t bytes = slots * 4 * tv::exchangeSlotWords("
        "step.getSources().size());", "int64_t bytes = slots * 4;"),
    "slots-of-all-slices": (
        "a CTA's buffer holds the partials of all slices", PLACE_BARRIERS,
        "tv::getLayoutAttr(partials).getValue().sliceColumns(shape)",
        "shape.columns"),
    "rounds-share-slots": (
        "two rounds of partials meet in the same slots", SPLIT_STAGES,
        "list.push_back({round, offset});", "list.push_back({round, 0});"),
}


def run(command, **options):
    return subprocess.run([str(part) for part in command], **options)


def copy_sources():
    """Writes what differs, so that only that is built again."""
    listed = run(["git", "ls-files", "-z", "--cached", "--others",
                  "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE,
                 check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(source.stat().st_mode)


def build():
    """Builds what the tests run; returns whether that worked."""
    built = run(["ninja", "-C", COPY / "build", "quack-check"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0:
        print(built.stdout.decode())
    return built.returncode == 0


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def failing_tests():
    """Returns the first test that fails, in a list; none if all pass."""
    cache = (COPY / "build" / "CMakeCache.txt").read_text().splitlines()
    lit = [line.split("=", 1)[1] for line in cache
           if line.startswith("LLVM_EXTERNAL_LIT")][0]
    # A session of its own: what is ended is this run and nothing else.
    tests = subprocess.Popen(
        [lit, "-s", "-j1", "--max-failures=1", str(COPY / "build" / "test" / TESTS)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        preexec_fn=limit_memory, start_new_session=True)
    try:
        text = tests.communicate(timeout=SECONDS)[0].decode()
    except subprocess.TimeoutExpired:
        return [f"a test that does not end within {SECONDS} s"]
    finally:
        if tests.poll() is None:
            os.killpg(tests.pid, signal.SIGKILL)
            tests.wait()
    failed = [line.split("::")[1].strip() for line in text.splitlines()
              if line.startswith("  quack ::")]
    if tests.returncode != 0 and not failed:
        sys.exit(f"mutate: lit failed\n{text}")
    return failed


def planted(text, old, new):
    """Returns `text` with the fault in it, or None where it does not fit."""
    # Line breaks are clang-format's business: compare without white space.
    positions = [i for i, c in enumerate(text) if not c.isspace()]
    dense = "".join(text[i] for i in positions)
    wanted = "".join(old.split())
    if dense.count(wanted) != 1:
        return None
    at = dense.index(wanted)
    first, last = positions[at], positions[at + len(wanted) - 1]
    return text[:first] + new + text[last + 1:]


def check(name):
    """Plants one fault; returns what became of it and whether that is right."""
    _, path, old, new = FAULTS[name]
    target = COPY / path
    text = target.read_text()
    faulty = planted(text, old, new)
    if faulty is None:
        return f"does not fit {path}", False
    try:
        target.write_text(faulty)
        if not build():
            return "does not build", False
        failed = failing_tests()
    finally:
        target.write_text(text)
    if not failed:
        return "NOT SEEN by any test", False
    return f"seen by {failed[0]}", True


def main():
    names = sys.argv[1:]
    if names == ["--list"]:
        for name, fault in FAULTS.items():
            print(f"{name:22} {fault[0]} ({fault[1]})")
        return
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        sys.exit(f"mutate: no such fault: {' '.join(unknown)}\n\n{__doc__}")
    copy_sources()
    if not (COPY / "build" / "build.ninja").exists():
        run(["cmake", "--preset", "release"], cwd=COPY, check=True,
            stdout=subprocess.DEVNULL)
    if not build():
        sys.exit("mutate: the sources do not build")
    failed = failing_tests()
    if failed:
        sys.exit(f"mutate: these tests fail without a fault: {failed}")
    all_seen = True
    for name in names or FAULTS:
        outcome, is_seen = check(name)
        all_seen &= is_seen
        print(f"{name:22} {outcome}", flush=True)
    sys.exit(0 if all_seen else 1)


if __name__ == "__main__":
    main()
