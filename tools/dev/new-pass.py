#!/usr/bin/env python3
# tools/dev/new-pass.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a pass: writes the .cpp and two tests, prints what to add by hand.

    tools/dev/new-pass.py quack-tv-split-rows      lib/Transforms/SplitRows.cpp
    tools/dev/new-pass.py convert-quack-to-gpu     lib/Conversion/QuackToGPU/...

The name is quack-<verb>-<noun>, quack-tv-<verb>-<noun> or
convert-<from>-to-<to>; all other names follow from it. No file is overwritten.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ACRONYMS = {"tv": "TV", "gpu": "GPU", "llvm": "LLVM", "nvvm": "NVVM",
            "ptx": "PTX", "scf": "SCF"}

SOURCE = """\
{banner}
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TODO: one paragraph: the job, its place in the flow, the invariant it keeps.
//
//===----------------------------------------------------------------------===//

#include "{header}"

namespace quack {{
#define GEN_PASS_DEF_{upper}
#include "dialects/Passes/Passes.h.inc"
}} // namespace quack

#define DEBUG_TYPE "{argument}"

using namespace mlir;
using namespace quack;

namespace {{
{struct} {{
  using {entry}Base::{entry}Base;

  void runOnOperation() override;
}};
}} // namespace

void {name}Pass::runOnOperation() {{
  // TODO: rewrite getOperation().
}}
"""

ENTRY = """\
def {entry} : Pass<"{argument}", "::quack::KernelOp"> {{
  let summary = "TODO: a verb first, no full stop";
  let description = [{{
    TODO: what changes, and why at this point of the pipeline.

    Example:
    ```mlir
    // before
    // after
    ```

    Assumes: TODO.
    Guarantees: TODO.
  }}];
  let dependentDialects = [{dialects}];
}}"""

TEST = """\
// RUN: quack-opt %s --{argument} | FileCheck %s -enable-var-scope

// TODO: three functions: one that changes, one that must not, one at the
// boundary between them.

// CHECK-LABEL: quack.kernel @what_happens
// CHECK: TODO
"""

INVALID_TEST = """\
// RUN: quack-opt %s --{argument} --split-input-file --verify-diagnostics

// TODO: one kernel for each diagnostic, with its full text:
// expected-error @below {{{{'quack.x' op must <rule>, got <actual>}}}}
"""


def camel(words):
    return "".join(ACRONYMS.get(w, w.capitalize()) for w in words)


def banner(path):
    start = f"//===- {path} "
    end = "*- C++ -*-===//"
    return start + "-" * (80 - len(start) - len(end)) + end


def names(argument):
    """Returns everything that follows from the pass's argument."""
    conversion = re.fullmatch(r"convert-([a-z0-9-]+)-to-([a-z0-9-]+)", argument)
    transform = re.fullmatch(r"quack-(?:tv-)?([a-z][a-z0-9-]*)", argument)
    if conversion:
        stem = camel(conversion[1].split("-")) + "To" + camel(
            conversion[2].split("-"))
        where, tests = f"lib/Conversion/{stem}", f"test/Conversion/{stem}"
        name, test = f"Convert{stem}", "basic"
        invalid = "invalid"
        header = f"quack/Conversion/{stem}.h"
    elif transform:
        stem = name = camel(transform[1].split("-"))
        where, tests, test = "lib/Transforms", "test/Transforms", transform[1]
        invalid = f"{test}-invalid"
        header = "quack/Transforms/Passes.h"
    else:
        sys.exit(f"new-pass: '{argument}' is neither quack-<verb>-<noun>, "
                 "quack-tv-<verb>-<noun> nor convert-<from>-to-<to>")
    entry = name if conversion else camel(argument.split("-"))
    dialects = '"::quack::QuackDialect"'
    if "tv" in argument.split("-"):
        dialects = '"::quack::tv::QuackTVDialect"'
    base = f"public quack::impl::{entry}Base<{name}Pass>"
    struct = f"struct {name}Pass : {base}"
    if len(struct) > 78:  # as clang-format breaks it
        struct = f"struct {name}Pass\n    : {base}"
    return dict(argument=argument, struct=struct, name=name, entry=entry, upper=entry.upper(),
                header=header, dialects=dialects, source=f"{where}/{stem}.cpp",
                banner=banner(f"{where}/{stem}.cpp"),
                test=f"{tests}/{test}.mlir", invalid=f"{tests}/{invalid}.mlir")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    values = names(sys.argv[1])
    files = {values["source"]: SOURCE, values["test"]: TEST,
             values["invalid"]: INVALID_TEST}
    for path in files:
        if (ROOT / path).exists():
            sys.exit(f"new-pass: '{path}' exists already")
    for path, template in files.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(template.format(**values))
        print(f"wrote {path}")
    source = Path(values["source"])
    print(f"\nAdd '{source.name}' to {source.parent}/CMakeLists.txt, the pass to "
          "its pipeline in\nlib/Pipelines/Pipelines.cpp, and this to "
          "dialects/Passes/Passes.td:\n")
    print(ENTRY.format(**values))


if __name__ == "__main__":
    main()
