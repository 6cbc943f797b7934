#!/usr/bin/env python3
# tools/dev/constraint-ids.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the constraints that the ODS files list, `- (C3) ...`, with the
negative tests, `@reduce_c3_<what>`: each has at least one, and none is left over.

    tools/dev/constraint-ids.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = re.compile(
    r'^def \w+(?:Layout|Target)Attr : \w+<"\w+", "(\w+)"|^def \w+ : \w+<"(\w+)"'
    r"|^defvar (stepConstraints)", re.MULTILINE)
LISTED = re.compile(r"^\s+- \(([CL]\d+)\)", re.MULTILINE)
TESTED = re.compile(r'(?:@|sym_name = ")(\w+?)_([cl]\d+)_\w+')
# Operations that share one list.
SHARED = {"warp_reduce": "stepConstraints", "block_reduce": "stepConstraints",
          "cluster_reduce": "stepConstraints", "grid_reduce": "stepConstraints"}


def listed(dialect):
    """Returns the (mnemonic, id) pairs of a dialect's ODS files."""
    found = set()
    for path in sorted((ROOT / "dialects" / dialect).glob("*.td")):
        text = path.read_text(encoding="utf-8")
        starts = list(DEFINITION.finditer(text)) + [None]
        for start, end in zip(starts, starts[1:]):
            body = text[start.end():end.start() if end else len(text)]
            name = next(group for group in start.groups() if group)
            found |= {(name, id.lower()) for id in LISTED.findall(body)}
    return found


def tested(dialect):
    found = set()
    for path in sorted((ROOT / "test" / "Dialect" / dialect).glob("*invalid*.mlir")):
        for name, id in TESTED.findall(path.read_text(encoding="utf-8")):
            found.add((SHARED.get(name, name), id))
    return found


def main():
    faults = 0
    count = 0
    for dialect in ("Quack", "QuackTV"):
        expected, actual = listed(dialect), tested(dialect)
        # A collect obeys the steps' constraints too.
        steps = {("collect", id) for name, id in expected
                 if name == "stepConstraints"}
        for name, id in sorted(expected - actual):
            print(f"{dialect}: constraint {id.upper()} of {name} has no test")
            faults += 1
        for name, id in sorted(actual - expected - steps):
            print(f"{dialect}: test @{name}_{id}_... has no constraint")
            faults += 1
        count += len(expected)
    if faults or not count:
        sys.exit(1)
    print(f"constraint-ids: {count} constraints, each with a test")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
