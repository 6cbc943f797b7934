# test/Simulator/Inputs/cuda-corpus.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of Cuda/corpus.py in the simulator, all checks on.

cuda-corpus.py CUDA TEMPORARY [NAME...] runs all, or those named, under each
schedule. Prints a line for each launch that has a fault or whose outputs are
not those of an H200, bit for bit or within the launch's tolerances.
"""

import math
import pathlib
import struct
import subprocess
import sys

cuda, temporary = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(cuda))

import corpus
import npy

SCHEDULES = ["eager", "lazy", "random:1", "random:2", "random:3"]


def run(launch, schedule):
    """Returns the outputs' bytes, or a text that says what went wrong."""
    command = ["quack-sim", str(cuda / f"{launch.file}.ptx"),
               f"--kernel={launch.kernel}", f"--schedule={schedule}",
               f"--grid={launch.grid}", f"--block={launch.block}",
               f"--cluster={launch.cluster}", f"--shared={launch.shared}"]
    outputs = []
    for number, text in enumerate(launch.arguments):
        path = temporary / f"{launch.name}-{number}.npy"
        if text.startswith("out:"):
            words = int(text.split(":")[1])
            command.append(f"--arg=zeroed:{path}:f32:{words}")
            outputs.append((path, 4 * words))
        elif corpus.is_array(text):
            if not path.exists():
                npy.write(path, corpus.generate(text))
            command.append(f"--arg={path}")
        else:
            command.append(f"--arg={text}")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr.strip().replace(f"{cuda}/", "")
    return b"".join(npy.read(*output) for output in outputs)


def differences(launch, got, expected):
    """Returns the numbers of the words that differ too much."""
    count = len(expected) // 4
    if not launch.tolerances:
        return [i for i in range(count)
                if got[4 * i:4 * i + 4] != expected[4 * i:4 * i + 4]]
    part = count // len(launch.tolerances)
    values = zip(struct.unpack(f"<{count}f", got),
                 struct.unpack(f"<{count}f", expected))
    return [i for i, (a, b) in enumerate(values)
            if not isNear(a, b, *launch.tolerances[i // part])]


def isNear(a, b, relative, absolute):
    if math.isnan(b) or math.isinf(b):
        return a == b or math.isnan(a) and math.isnan(b)
    return abs(a - b) <= absolute + relative * abs(b)


def main():
    temporary.mkdir(parents=True, exist_ok=True)
    names, passed = sys.argv[3:], 0
    for launch in corpus.LAUNCHES:
        if names and launch.name not in names:
            continue
        expected = (cuda / "expected" / f"{launch.name}.bin").read_bytes()
        for schedule in SCHEDULES:
            got = run(launch, schedule)
            if isinstance(got, str):
                print(f"{launch.name} {schedule}: {got}")
                break
            wrong = differences(launch, got, expected)
            if wrong:
                print(f"{launch.name} {schedule}: {len(wrong)} words differ, "
                      f"the first is word {wrong[0]}")
                break
        else:
            passed += 1
    print(f"{passed} launches as on the H200")


if __name__ == "__main__":
    main()
