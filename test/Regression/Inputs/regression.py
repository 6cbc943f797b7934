# test/Regression/Inputs/regression.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels in the simulator on arrays that a test makes, and compares what comes
out with values in closed form. Each run is verified against the evaluator, too, with
all of the simulator's checks."""

import array
import json
import math
import os
import re
import subprocess
import struct
import sys
import tempfile

INF, NAN = math.inf, math.nan
DESCR = {"f32": ("<f4", "f"), "bf16": ("<u2", "H"), "f16": ("<f2", "H"),
         "i8": ("|i1", "b"), "i32": ("<i4", "i"), "i64": ("<i8", "q"), "f8": ("|u1", "B")}


def to_bf16(number):
    """Rounds to the nearest bf16, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def from_bf16(word):
    return struct.unpack("<f", struct.pack("<I", word << 16))[0]


ENCODE = {"bf16": to_bf16, "f16": lambda x: struct.unpack("<H", struct.pack("<e", x))[0]}
DECODE = {"bf16": from_bf16, "f16": lambda w: struct.unpack("<e", struct.pack("<H", w))[0]}


def write(path, rows, dtype="f32"):
    """Writes rows (lists of numbers), or numbers, one a row."""
    isMatrix = bool(rows) and isinstance(rows[0], (list, tuple))
    flat = [number for row in rows for number in row] if isMatrix else list(rows)
    if dtype in ENCODE:
        # Zeros of both signs are one key.
        words = {number: ENCODE[dtype](number) for number in set(flat) - {0.0}}
        flat = [words[number] if number in words else ENCODE[dtype](number) for number in flat]
    shape = (len(rows), len(rows[0])) if isMatrix else (len(rows),)
    descr, code = DESCR[dtype]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                   + array.array(code, flat).tobytes())


def read(path):
    """Returns an array's rows, or its numbers if it has one dimension."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length])
    dtype = next(name for name, (descr, _) in DESCR.items() if descr == header["descr"])
    flat = array.array(DESCR[dtype][1], data[10 + length:]).tolist()
    if dtype in DECODE:
        flat = [DECODE[dtype](word) for word in flat]
    if len(header["shape"]) == 1:
        return flat
    rows, columns = header["shape"]
    return [flat[row * columns:(row + 1) * columns] for row in range(rows)]


def command(tool, *arguments):
    """Runs a tool; returns its exit code and what it says."""
    done = subprocess.run([tool, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


def run(kernel, inputs, outputs, *options):
    """Runs a kernel file on `inputs` (name to rows, or to (rows, dtype)) in the
    simulator; returns the outputs named."""
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name + ".npy")
        arguments = []
        for name, given in inputs.items():
            write(path(name), *(given if isinstance(given, tuple) else (given,)))
            arguments += ["--in", "%s=%s" % (name, path(name))]
        for name in outputs:
            arguments += ["--out", "%s=%s" % (name, path(name))]
        code, text = command("quack-run", "--device=sim", kernel, "--verify", *arguments, *options)
        assert code == 0, "quack-run %s: %s" % (" ".join(map(str, options)), text)
        found = [read(path(name)) for name in outputs]
    return found[0] if len(found) == 1 else found


def sweep(jobs):
    """Runs jobs (dictionaries), each verified, in one process; returns the result lines."""
    with tempfile.TemporaryDirectory() as folder:
        source, results = os.path.join(folder, "jobs"), os.path.join(folder, "results")
        with open(source, "w") as file:
            for job in jobs:
                file.write(json.dumps(dict(job, verify=True)) + "\n")
        code, text = command("quack-run", "--device=sim", "--sweep=" + source, "--json=" + results)
        assert code == 0, text
        with open(results) as file:
            lines = [json.loads(line) for line in file]
    assert len(lines) == len(jobs), text
    return lines


def refused(expected, tool, *arguments):
    """Checks that a tool ends with status 1 and says `expected`, not with a signal."""
    code, text = command(tool, *arguments)
    assert code == 1 and expected in text, (
        "%s %s: status %d, expected 1 and '%s'; got:\n%s"
        % (tool, " ".join(map(str, arguments)), code, expected, text))


def close(got, expected, relative=1e-5, absolute=1e-6):
    """Checks one number, or lists of them; NaN is like NaN."""
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected), (len(got), len(expected))
        for have, want in zip(got, expected):
            close(have, want, relative, absolute)
        return
    same = (math.isnan(got) and math.isnan(expected)) or got == expected
    assert same or abs(got - expected) <= absolute + relative * abs(expected), (got, expected)


def picks(kernel):
    """Whether a kernel file must be told how many elements it picks of a row."""
    with open(kernel) as file:
        return " picks" in file.read()


def kernels():
    """The library's kernel files by name, but for those that pick elements: see picks.py."""
    folder = sys.argv[1]
    files = {name[:-5]: os.path.join(folder, name)
             for name in sorted(os.listdir(folder)) if name.endswith(".mlir")}
    return {name: file for name, file in files.items() if not picks(file)}


def scalars(kernel):
    """A number for each value operand of a kernel file."""
    with open(kernel) as file:
        names = re.findall(r"%(\w+): (?:f32|i32|i64)[,)]", file.read())
    return {name: 1e-12 if name == "eps" else 0.01 for name in names}


def rows(kernel, direction="in|out|inout"):
    """The row operands of a kernel file that are always there."""
    with open(kernel) as file:
        return re.findall(r"%%(\w+): memref<\?x\?x\w+> (?:%s) row[,)]" % direction, file.read())
