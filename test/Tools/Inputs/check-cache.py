# test/Tools/Inputs/check-cache.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what `quack-cache list --json` says against the directory.

    check-cache.py DIRECTORY LIST.json
"""

import json
import os
import re
import sys

directory, listing = sys.argv[1:]
with open(listing, encoding="utf-8") as file:
    entries = json.load(file)
assert len(entries) == 2, entries
for entry in entries:
    path = os.path.join(directory, entry["key"] + ".quack")
    assert entry["file"] == path and os.path.getsize(path) == entry["bytes"], entry
    assert re.fullmatch(r"[0-9a-f]{64}", entry["key"]), entry
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry["last_use"]), entry
    assert entry["compiler"].startswith("quack 0."), entry
    assert re.fullmatch(r"22\.1\.\d+", entry["llvm"]), entry
    # The program that compiles, MLIR and LLVM: one build thrice where they are linked in.
    assert len(entry["builds"]) == 3 and len(set(entry["builds"])) in (1, 3), entry
    assert all(re.fullmatch(r"[0-9a-f]{16,}", build) for build in entry["builds"]), entry
    assert entry["cubin_bytes"] == 0 and entry["cubin_made_by"] == "", entry
kernels = {entry["kernels"][0]: entry["options"] for entry in entries}
assert kernels == {"softmax": {"columns": "512", "storage": "bf16"},
                   "sum": {"columns": "64"}}, kernels
assert os.stat(directory).st_mode & 0o777 == 0o700
print("PASS")
