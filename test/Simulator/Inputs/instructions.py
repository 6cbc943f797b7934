# test/Simulator/Inputs/instructions.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every instruction form of Cuda/instructions.py in the simulator.

instructions.py CUDA TEMPORARY, the folders of the forms and for files. Prints
each form whose results are not what an H200 gave; approximate ones are only run.
"""

import pathlib
import re
import subprocess
import sys

cuda, temporary = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(cuda))

import instructions
import npy

expected = dict(
    line.split("\t") for line in
    (cuda / "expected" / "instructions.tsv").read_text().splitlines())
temporary.mkdir(parents=True, exist_ok=True)
each = 16 * instructions.COUNT
same = 0
for kind, forms in instructions.groups():
    ptx, source, target = (temporary / name
                           for name in ("forms.ptx", "in.npy", "out.npy"))
    ptx.write_text(instructions.module(forms))
    npy.write(source, instructions.inputs(kind))
    size = each * len(forms)
    subprocess.run(["quack-sim", ptx, f"--grid={instructions.COUNT // 128}",
                    "--block=128", f"--arg={source}",
                    f"--arg=out:{target}:f32:{size // 4}"], check=True)
    data = npy.read(target, size)
    for k, form in enumerate(forms):
        name = instructions.name(form)
        digest = instructions.digest(form, data[each * k:each * (k + 1)])
        if re.search(r"\.(approx|full)", name):
            continue
        if digest == expected[name]:
            same += 1
        else:
            print(f"not as on the H200: {name}")
print(f"{same} forms as on the H200")
