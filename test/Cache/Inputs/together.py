# test/Cache/Inputs/together.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command several times at once; all must print the same kernels.

    together.py COUNT COMMAND...
"""

import subprocess
import sys

count = int(sys.argv[1])
processes = [subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
             for _ in range(count)]
outputs = [process.communicate()[0].splitlines() for process in processes]
assert all(process.returncode == 0 for process in processes), outputs
# The last line has the counters, which differ.
assert all(lines[:-1] == outputs[0][:-1] for lines in outputs), outputs
assert len(outputs[0]) > 1 and all(" ptx " in line for line in outputs[0][:-1]), outputs
assert all(lines[-1].endswith("rejected 0") for lines in outputs), outputs
print("PASS")
