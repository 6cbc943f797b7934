#!/usr/bin/env python3
# tools/dev/wheel.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a directory of Python modules and libquack_c.so into a wheel.

    tools/dev/wheel.py --package=quack_mlir --library=libquack_c.so --version=0.1.0
        --licence=LICENSE ... --output=DIR [--level=9]
    tools/dev/wheel.py --glibc=libquack_c.so      prints the glibc that a library needs

The library stands beside the modules. It is no extension of Python's, so that one wheel
serves each CPython; the platform tag names the least glibc that its symbols ask for. Prints
the wheel's path. The same input makes the same bytes: times are SOURCE_DATE_EPOCH.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.1
Name: quack-mlir
Version: {version}
Summary: Row reductions for NVIDIA Hopper: softmax, norms, losses, and your own, compiled to PTX
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.10
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: quack wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""
SUFFIXES = {".py", ".pyi", ".typed"}
EM_X86_64 = b"\x3e\x00"
# What a wheel may count on beside glibc's own libraries: nothing.
SYSTEM_LIBRARIES = re.compile(r"lib(c|m|dl|rt|pthread)\.so|ld-linux")


def readelf(option, library):
    result = subprocess.run(["readelf", "-W", option, library], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        sys.exit(f"wheel.py: readelf cannot read {library}: {result.stderr.strip()}")
    return result.stdout


def least_glibc(library):
    """Returns the least version of glibc that has all that `library` asks for."""
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", readelf("--version-info", library))
    if not found:
        sys.exit(f"wheel.py: {library} asks for no version of glibc")
    return max((int(major), int(minor)) for major, minor in found)


def platform_tag(library):
    with open(library, "rb") as file:
        header = file.read(20)
    if header[:4] != b"\x7fELF" or header[18:20] != EM_X86_64:
        sys.exit(f"wheel.py: expected a shared library for x86-64, got {library}")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", library))
    foreign = [name for name in needed if not SYSTEM_LIBRARIES.match(name)]
    if foreign:
        sys.exit(f"wheel.py: {library} must need nothing but glibc, got {', '.join(foreign)}")
    major, minor = least_glibc(library)
    return f"py3-none-manylinux_{major}_{minor}_x86_64"


def entries(options, tag):
    """Yields (name in the wheel, mode, contents), but for RECORD."""
    name = options.package.name
    for path in sorted(options.package.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            inside = path.relative_to(options.package.parent).as_posix()
            yield inside, 0o644, path.read_bytes()
    yield f"{name}/libquack_c.so", 0o755, options.library.read_bytes()
    info = f"{name}-{options.version}.dist-info"
    yield f"{info}/METADATA", 0o644, METADATA.format(version=options.version).encode()
    yield f"{info}/WHEEL", 0o644, WHEEL.format(tag=tag).encode()
    for path in options.licence:
        yield f"{info}/licenses/{path.name}", 0o644, path.read_bytes()


def digest(contents):
    raw = hashlib.sha256(contents).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def write_wheel(options):
    # A zip file knows no time before 1980.
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)
    when = time.gmtime(epoch)[:6]
    tag = platform_tag(options.library)
    name = options.package.name
    wheel = options.output / f"{name}-{options.version}-{tag}.whl"
    record = f"{name}-{options.version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w") as archive:
        def add(inside, mode, contents):
            entry = zipfile.ZipInfo(inside, when)
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, contents, zipfile.ZIP_DEFLATED, options.level)

        for inside, mode, contents in entries(options, tag):
            add(inside, mode, contents)
            lines.append(f"{inside},{digest(contents)},{len(contents)}\n")
        lines.append(f"{record},,\n")
        add(record, 0o644, "".join(lines).encode())
    print(wheel)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--glibc", type=Path, help="print what this library needs, and end")
    parser.add_argument("--package", type=Path, help="the directory of modules")
    parser.add_argument("--library", type=Path, help="libquack_c.so, stripped")
    parser.add_argument("--licence", type=Path, action="append", default=[])
    parser.add_argument("--version")
    parser.add_argument("--output", type=Path, help="the directory that gets the wheel")
    parser.add_argument("--level", type=int, default=9, help="of compression, 0 to 9")
    options = parser.parse_args()
    if options.glibc:
        print("{}.{}".format(*least_glibc(options.glibc)))
        return
    for name in ("package", "library", "version", "output"):
        if getattr(options, name) is None:
            parser.error(f"--{name} is missing")
    if not (options.package / "__init__.py").is_file():
        sys.exit(f"wheel.py: {options.package} is no Python package: it has no __init__.py")
    write_wheel(options)


if __name__ == "__main__":
    main()
