"""Imports the package in a directory, if it is there, and says whose library it loaded.

    import.py DIRECTORY LIBRARY
"""

import os
import sys

directory, library = sys.argv[1:]
if not os.path.isdir(directory):
    print("PASS: there is no Python package in this tree")
    sys.exit()
sys.path.insert(0, directory)
import quack_mlir  # noqa: E402: the path stands first

with open("/proc/self/maps", encoding="utf-8") as maps:
    loaded = {line.split()[-1] for line in maps if "libquack_c.so" in line}
isOurs = loaded == {os.path.realpath(library)} and quack_mlir.__file__.startswith(directory)
print("PASS" if isOurs else f"FAIL: loaded {loaded}, expected {library}")
