# test/Docs/Inputs/snippets.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files that a page shows: each fenced block behind `<!-- file: NAME -->`.

    snippets.py PAGE.md FOLDER

Prints their names. A fenced block without a name is an error: nobody would run it."""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- file: (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

page, folder = Path(sys.argv[1]), Path(sys.argv[2])
text = page.read_text(encoding="utf-8")
folder.mkdir(parents=True, exist_ok=True)
blocks = list(BLOCK.finditer(text))
if not blocks:
    sys.exit(f"{page}: no fenced blocks")
for block in blocks:
    if not block[1]:
        line = text.count("\n", 0, block.start()) + 1
        sys.exit(f"{page}:{line}: a block without <!-- file: NAME -->")
    (folder / block[1]).write_text(block[3], encoding="utf-8")
    print(block[1])
