#!/usr/bin/env python3
# tools/dev/lint.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the house rules that a program can see, on every tracked file.

    tools/dev/lint.py

Prints `file:line: rule broken` for each fault and exits 1 if there is any.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MAX_LINES = 800

TOP_LEVEL = {"lib", "include", "tools", "test", "dialects", "CMakeLists.txt",
             "README.md", "LICENSE", "CMakePresets.json"}
TEXT = {".cpp", ".h", ".td", ".mlir", ".py", ".sh", ".md", ".test", ".cmake",
        ".txt", ".in", ".json", ".c", ".ll", ".ptx", ""}
# Written by mlir-tblgen, not by people, or not ours.
ANY_LENGTH = {"Reference.md", "Passes.md", "LICENSE"}

# The literal may stand on a later line than the call, but not in a later
# statement.
CAPITAL = re.compile(
    r'emit(?:Op)?(?:Error|Warning|Remark)\([^;"]*"(?=[A-Z])')
FULL_STOP = re.compile(
    r'emit(?:Op)?(?:Error|Warning|Remark)\([^;]*?[^."]\."\s*\)?;')
MACHINE_PATH = re.compile(r"(?<![\w.$}*])/(?:work|root|home|mnt|scratch)/\w")

CHECKED = re.compile(
    r"CHECK|PASS|expected-(?:error|warning|remark|note|no-diagnostics)"
    r"|--?verify-roundtrip")
PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")


def tracked_files():
    """Returns the tracked files, or all but build trees outside a checkout."""
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if git.returncode == 0:
        names = git.stdout.decode().split("\0")
        return [Path(n) for n in names if n and (ROOT / n).is_file()]
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in (".git", "__pycache__")
                      and not f.startswith(("build", ".cache"))]
        found += [Path(folder, n).relative_to(ROOT) for n in names]
    return found


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_place(path):
    top = path.parts[0]
    if top not in TOP_LEVEL and not top.startswith("."):
        yield 1, f"'{top}' does not belong at the top level"


def check_header(path, lines):
    """A banner with the file's own path, or the end of it, then the licence."""
    banner = re.match(r"//===- (\S+) ", lines[0]) if lines else None
    if not banner:
        yield 1, "the first line must be '//===- <path> - <what> ---===//'"
    elif not f"/{path.as_posix()}".endswith(f"/{banner[1]}"):
        yield 1, f"the banner says '{banner[1]}', the file is '{path}'"
    if not any(LICENCE in line for line in lines[:5]):
        yield 1, f"'{LICENCE}' must stand in the first five lines"


def check_diagnostics(text):
    for match in CAPITAL.finditer(text):
        yield line_of(text, match.end()), \
            "a diagnostic starts in lower case"
    for match in FULL_STOP.finditer(text):
        yield line_of(text, match.end() - 1), \
            "a diagnostic ends without a full stop"


def check_test(text):
    if "RUN:" not in text:
        yield 1, "a test needs a RUN line (shared input belongs in Inputs/)"
        return
    prefixes = {p for m in PREFIXES.finditer(text) for p in m[1].split(",")}
    if not CHECKED.search(text) and not any(
            re.search(rf"{re.escape(p)}(-\w+)?:", text) for p in prefixes):
        yield 1, "a test must check something: CHECK, expected-error or PASS"


def check(path):
    yield from check_place(path)
    if path.suffix not in TEXT:
        return
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    lines = text.splitlines()
    isByPeople = path.name not in ANY_LENGTH and path.suffix != ".ptx"
    if len(lines) > MAX_LINES and isByPeople:
        yield MAX_LINES + 1, f"{len(lines)} lines, the limit is {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"
    if path.suffix in (".cpp", ".h", ".td"):
        yield from check_header(path, lines)
    if path.suffix in (".cpp", ".h"):
        yield from check_diagnostics(text)
    if (path.parts[0] == "test" and path.suffix == ".mlir"
            and "Inputs" not in path.parts):
        yield from check_test(text)


def main():
    faults = 0
    files = sorted(tracked_files())
    if not files:
        sys.exit("lint: found no file to check")
    for path in files:
        for number, message in check(path):
            print(f"{path}:{number}: {message}")
            faults += 1
    if faults:
        sys.exit(1)
    print(f"lint: {len(files)} files, no fault")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
