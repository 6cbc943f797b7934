#!/usr/bin/env python3
# tools/dev/doc-examples.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints every ```mlir block of Markdown files as one input for
`quack-opt --split-input-file`, and fails if there is none.

    tools/dev/doc-examples.py [FILE.md...] | quack-opt --split-input-file --verify-roundtrip

Without files: README.md and all Markdown below dialects/ and lib/.
A block is a complete module, with its aliases; show fragments in plain ``` blocks.
"""

import re
import sys
import textwrap
from pathlib import Path

BLOCK = re.compile(r"^([ \t]*)```mlir\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


ROOT = Path(__file__).resolve().parents[2]


def all_documents():
    return [path for path in [ROOT / "README.md"] if path.exists()] + sorted(
        path for top in ("dialects", "lib") for path in (ROOT / top).rglob("*.md"))


def main():
    count = 0
    for name in sys.argv[1:] or all_documents():
        text = Path(name).read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            print(f"// -----\n// {name}:{line}" if count else f"// {name}:{line}")
            print(textwrap.dedent(match[2]))
            count += 1
    if not count:
        sys.exit("doc-examples: found no ```mlir block")
    print(f"doc-examples: {count} examples", file=sys.stderr)


if __name__ == "__main__":
    main()
