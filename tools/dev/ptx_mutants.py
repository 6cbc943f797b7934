# tools/dev/ptx_mutants.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutants of a PTX text: each synchronising instruction deleted or weakened.

A mutant differs from the text in one line and keeps the line numbers, so that a
fault's line means the same in both. What is mutated:

| instruction            | mutants                                             |
|------------------------|-----------------------------------------------------|
| bar, barrier.cluster   | deleted; a warp less; .relaxed for .release         |
| bar.warp.sync, shfl    | (bar) deleted; mask bits cleared                    |
| mbarrier.init          | deleted; count +- 1; address +- 8                   |
| mbarrier.arrive        | deleted; bytes +- 4; address +- 8; .relaxed for      |
|                        | .release; .cta for .cluster                         |
| mbarrier.try_wait      | deleted; its loop's branch deleted; other parity;   |
|                        | .cta for .cluster; .relaxed for .acquire;           |
|                        | address +- 8                                        |
| fence                  | deleted; .cta for .cluster                          |
| st.async, cp.async     | deleted; destination +- 1 access; mbarrier +- 8;    |
|                        | (bulk) bytes +- 16                                  |
| mapa                   | the neighbour's rank                                |
| cp.async.*_group       | deleted; wait_group N + 1                           |
| st.shared              | address +- 1 access                                 |
| ld.global              | .nc, where the launch works in place                |

A load from elsewhere in shared memory that is properly ordered is no fault of
synchronisation but a wrong value; the comparison with the evaluator sees those.
"""

import re
from dataclasses import dataclass

REGISTER = re.compile(r"%[a-z]+\d+|%mutant")
SCRATCH = ".reg .b32 %mutant;"


@dataclass(frozen=True)
class Mutant:
    """One change of one line; `kind` names it in the list of equivalents."""
    kind: str
    line: int  # from 1
    old: str
    new: str

    def apply(self, lines):
        """Returns the text with the change."""
        result = list(lines)
        result[self.line - 1] = self.new
        # A register for operands that must be computed, declared on the line
        # of the kernel's brace.
        brace = result.index("{")
        result[brace] += " " + SCRATCH
        return "\n".join(result) + "\n"


def instruction(line):
    """Returns (guard, mnemonic, operands) of a line, or None."""
    match = re.match(r"\s*(@!?%\w+\s+)?([a-z][\w.:]*)\s*([^;]*);\s*$", line)
    return match and (match[1] or "", match[2], match[3].strip())


def operands_of(text):
    """Splits at the commas outside brackets."""
    return [o.strip() for o in re.split(r",(?![^\[{]*[\]}])", text) if o.strip()]


class Mutator:
    """Makes the mutants of one text."""

    def __init__(self, text, threads, in_place):
        self.lines = text.splitlines()
        self.threads = threads
        self.in_place = in_place

    def mutants(self):
        """Yields every mutant, in the order of the text."""
        for number, line in enumerate(self.lines, 1):
            parsed = instruction(line)
            if not parsed:
                continue
            for kind, new in self.changes(number, *parsed):
                if new != line:
                    yield Mutant(kind, number, line.strip(), new)

    def constant(self, register, number):
        """Returns the integer that `register` was last moved to, or None."""
        for line in reversed(self.lines[:number - 1]):
            match = re.match(rf"\s*mov\.[bu]\d+\s+{re.escape(register)},\s*"
                             r"(-?\d+);", line)
            if match:
                return int(match[1])
            if re.match(rf"\s*\S+\s+\{{?{re.escape(register)}\b", line):
                return None
        return None

    def value(self, operand, number):
        if re.fullmatch(r"-?\d+", operand):
            return int(operand)
        return self.constant(operand, number)

    def changes(self, number, guard, name, operands):
        """Yields (kind, new line)."""
        parts = name.split(".")
        items = operands_of(operands)

        def rewrite(new_name=name, change=()):
            new = list(items)
            for index, operand in change:
                new[index] = operand
            return f"\t{guard}{new_name} \t{', '.join(new)};"

        def shifted(index, distance):
            inner = re.fullmatch(r"\[(.*?)([+-]\d+)?\]", items[index])
            offset = int(inner[2] or 0) + distance
            return [(index, f"[{inner[1]}{offset:+d}]")]

        def offsets(what, index, distance):
            for sign in (1, -1):
                yield (f"{what}{'+' if sign > 0 else '-'}1",
                       rewrite(change=shifted(index, sign * distance)))

        deleted = ""
        if parts[0] == "bar" and parts[1] == "warp":
            yield "delete", deleted
            yield from self.masks(number, rewrite, 0)
        elif parts[0] == "bar" or name.startswith("barrier.sync"):
            yield "delete", deleted
            if len(items) == 1 and self.threads > 32:
                yield "warp-less", rewrite(
                    change=[(0, f"{items[0]}, {self.threads - 32}")])
        elif name.startswith("barrier.cluster"):
            yield "delete", deleted
            if parts[2] == "arrive" and "relaxed" not in parts:
                yield "relaxed", rewrite("barrier.cluster.arrive.relaxed" +
                                         (".aligned" if "aligned" in parts
                                          else ""))
        elif parts[0] == "fence":
            yield "delete", deleted
            if "cluster" in parts and "mbarrier_init" not in parts:
                yield "scope", rewrite(name.replace(".cluster", ".cta"))
        elif parts[0] == "shfl":
            yield from self.masks(number, rewrite, len(items) - 1)
        elif parts[0] == "mapa":
            yield "rank", (f"\txor.b32 %mutant, {items[2]}, 1; " +
                           rewrite(change=[(2, "%mutant")]).strip())
        elif parts[0] == "mbarrier":
            yield "delete", deleted
            yield from self.mbarrier(number, parts, items, rewrite, offsets)
        elif name.startswith("st.async"):
            yield "delete", deleted
            yield from offsets("data", 0, access_bytes(parts))
            yield from offsets("mbarrier", 2, 8)
        elif name.startswith("cp.async.bulk.shared"):
            yield "delete", deleted
            yield from offsets("data", 0, 16)
            yield from offsets("mbarrier", 3, 8)
            size = self.value(items[2], number)
            if size is not None:
                for delta in (16, -16):
                    yield f"bytes{delta:+d}", rewrite(
                        change=[(2, str(size + delta))])
        elif name.startswith("cp.async.wait_group"):
            yield "delete", deleted
            yield "group+1", rewrite(change=[(0, str(int(items[0]) + 1))])
        elif name in ("cp.async.commit_group", "cp.async.wait_all"):
            yield "delete", deleted
        elif name.startswith("cp.async"):
            yield "delete", deleted
            yield from offsets("data", 0, int(items[2]))
        elif parts[:2] == ["st", "shared"]:
            yield from offsets("data", 0, access_bytes(parts))
        elif (parts[:2] == ["ld", "global"] and "nc" not in parts and
              self.in_place):
            yield "nc", rewrite(name.replace("ld.global", "ld.global.nc"))

    def masks(self, number, rewrite, index):
        """Masks without the first lane, the last one, the upper half; one of
        them at each place, in turn."""
        mask = ("0xfffffffe", "0x7fffffff", "0x0000ffff")[number % 3]
        yield "mask", rewrite(change=[(index, mask)])

    def mbarrier(self, number, parts, items, rewrite, offsets):
        name = ".".join(parts)
        if parts[1] == "init":
            yield from offsets("mbarrier", 0, 8)
            count = self.value(items[1], number)
            if count is not None:
                for delta in (1, -1):
                    yield f"count{delta:+d}", rewrite(
                        change=[(1, str(count + delta))])
        elif parts[1] == "arrive":
            yield from offsets("mbarrier", 1, 8)
            if "expect_tx" in parts:
                size = self.value(items[2], number)
                for delta in (4, -4):
                    if size is not None:
                        yield f"bytes{delta:+d}", rewrite(
                            change=[(2, str(size + delta))])
            if "release" in parts:
                yield "relaxed", rewrite(name.replace(".release", ".relaxed"))
            if "cluster" in parts:
                yield "scope", rewrite(name.replace(".cluster", ".cta", 1))
        elif parts[1] in ("try_wait", "test_wait"):
            yield from offsets("mbarrier", 1, 8)
            if "parity" in parts:
                parity = self.value(items[2], number)
                if parity is not None:
                    yield "parity", rewrite(change=[(2, str(1 - parity))])
                else:
                    yield "parity", (
                        f"\txor.b32 %mutant, {items[2]}, 1; " +
                        rewrite(change=[(2, "%mutant")]).strip())
            if "cluster" in parts:
                yield "scope", rewrite(name.replace(".cluster", ".cta", 1))
            if "acquire" in parts:
                yield "relaxed", rewrite(name.replace(".acquire", ".relaxed"))


def wait_branches(lines):
    """Yields mutants without the branches of loops that wait."""
    for number, line in enumerate(lines, 1):
        if "mbarrier.try_wait" not in line and "mbarrier.test_wait" not in line:
            continue
        for later in range(number, min(number + 6, len(lines))):
            branch = re.match(r"\s*@!?%\w+\s+bra", lines[later])
            if branch:
                yield Mutant("delete-branch", later + 1, lines[later].strip(),
                             "")
                break


def access_bytes(parts):
    """Returns the bytes that a lane accesses."""
    vector = next((int(p[1]) for p in parts if re.fullmatch(r"v\d", p)), 1)
    bits = int(re.search(r"\d+", parts[-1])[0])
    return vector * bits // 8


def all_mutants(text, threads, in_place):
    """Returns the mutants of `text`, by line."""
    mutator = Mutator(text, threads, in_place)
    return sorted([*mutator.mutants(), *wait_branches(mutator.lines)],
                  key=lambda mutant: mutant.line)


# ---------------------------------------------------------------------------
# Where a fault may be reported
# ---------------------------------------------------------------------------

WAITS = re.compile(r"\b(bar\.|barrier\.|mbarrier\.(try|test)_wait|cp\.async\."
                   r"(bulk\.)?wait|shfl|bra\b)")
SHARED_READ = re.compile(r"\b(ld\.shared|atom\.|red\.)|mbarrier\.")
SHARED_WRITE = re.compile(r"\b(st\.shared|st\.async|cp\.async|mbarrier\.|mapa)")


def dependents(lines, line):
    """Returns the lines that use, through registers, what `line` computes."""
    parsed = instruction(lines[line - 1])
    if not parsed:
        return set()
    registers, found = set(), set()
    # Without knowing which operands are results, take the leading ones.
    first = operands_of(parsed[2])[:1]
    registers.update(REGISTER.findall(first[0]) if first else ())
    for number in range(line, len(lines)):
        used = instruction(lines[number])
        if not used or not registers.intersection(
                REGISTER.findall(lines[number])):
            continue
        found.add(number + 1)
        results = operands_of(used[2])[:1]
        if results and not results[0].startswith("["):
            registers.update(REGISTER.findall(results[0]))
    return found


def is_at_fault(lines, mutant, fault_lines, kind):
    """Returns whether a report that names `fault_lines` is at the fault: at the
    mutant's line, at a line that depends on it through registers or reads the
    shared memory that it writes or guards, at two accesses with the mutant's
    line between them, or, in a deadlock, at somebody who waits."""
    if mutant.line in fault_lines:
        return True
    if kind == "deadlock":
        return any(WAITS.search(lines[f - 1]) for f in fault_lines)
    if len(fault_lines) > 1 and \
            min(fault_lines) < mutant.line < max(fault_lines):
        return True
    if (SHARED_WRITE.search(mutant.old) or WAITS.search(mutant.old)) and any(
            f > mutant.line and SHARED_READ.search(lines[f - 1])
            for f in fault_lines):
        return True
    return bool(dependents(lines, mutant.line) & fault_lines)
