# test/Raise/Inputs/compare.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function as it is, and raised, on the same random inputs, and compares.

    compare.py file.mlir [--seed=1] [--kernels=1] [--specials] [--rows=M]

A file may have several parts, divided by `// -----`: of each the last function is run. As
it is, it runs on the CPU by upstream's tools (cpu.py). Of the raised one, kernels run in
the simulator, which also compares them with the evaluator, and the rest on the CPU. With
--kernels the number of kernels must be that. With --rows groups are those that M rows
would have. Prints PASS, or what differs."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import cpu

CALL = re.compile(r"^\s*%(\w+)(?::(\d+))? = quack\.call @(\w+)\((.*?)\) outs\(.*?\)"
                  r"(?: \{.*?\})? -> (.*)$", re.MULTILINE)
KERNEL = re.compile(r"^  quack\.kernel @(\w+)\((.*?)\).*?^  }$", re.MULTILINE | re.DOTALL)
OPERAND = re.compile(r"%(\w+): (\S+?)(?: (in|out) (\w+))?(?:, |$)")


def split_types(text):
    text = text.strip()
    text = text[1:-1] if text.startswith("(") else text
    return [part.strip() for part in text.split(",")] if text else []


def signature(module, name="main"):
    """Returns the names and types of a function's arguments, and its results' types."""
    found = re.search(rf"func\.func (?:public )?@{name}\((.*?)\)(?: -> (.*?))? {{\n", module)
    args = re.findall(r"%(\w+): ([^,]+)", found[1])
    return [a for a, _ in args], [t for _, t in args], split_types(found[2] or "")


def quack_opt(*args, text=None):
    ran = subprocess.run(["quack-opt", *args], input=text, text=True, capture_output=True)
    if ran.returncode:
        raise RuntimeError(f"quack-opt: {ran.stderr}")
    return ran.stdout


#===-----------------------------------------------------------------------===#
# Inputs and bounds
#===-----------------------------------------------------------------------===#

def to_float(array, type):
    """Returns the numbers that a result has, as float64."""
    _, element = cpu.parse_type(type)
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if element == "f8E4M3FN":
        codes = array.astype(np.int64)
        exponent, mantissa = codes >> 3 & 15, codes & 7
        size = np.where(exponent == 0, mantissa * 2.0 ** -9,
                        (8 + mantissa) * 2.0 ** (exponent - 10.0))
        size = np.where(codes & 127 == 127, np.nan, size)
        return np.where(codes >= 128, -size, size)
    return array.astype(np.float64)


def random_input(rng, type, columns, specials=False):
    """Returns normal floats; of integers, mostly columns, and some that are none. With
    `specials` each second row has an infinity or a NaN in it."""
    shape, element = cpu.parse_type(type)
    shape = shape or []
    if element == "i1":
        return rng.random(shape) < 0.7
    if element.startswith("i"):
        return rng.integers(-2, columns + 2, shape).astype(cpu.NUMPY[element])
    values = rng.standard_normal(shape).astype(np.float32)
    if specials and len(shape) > 1:
        rows = values.reshape(-1, shape[-1])
        for row in range(0, len(rows), 2):
            rows[row, rng.integers(shape[-1])] = rng.choice([np.nan, np.inf, -np.inf])
        if len(rows) > 1:
            rows[1] = -np.inf
    if element == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    if element == "f8E4M3FN":
        return rng.integers(0, 120, shape).astype(np.uint8)
    return values.astype(cpu.NUMPY[element])


# Of each type: the relative error that a rounding may show, one step at most.
STEPS = {"f64": 1e-12, "f32": 2e-5, "f16": 2.0 ** -10, "bf16": 2.0 ** -7, "f8E4M3FN": 2.0 ** -3}


def difference(got, wanted, type, nudged=()):
    """Returns the place and both numbers of the first difference beyond the bound. What
    `nudged` runs of the program differ by is added to it."""
    _, element = cpu.parse_type(type)
    if element not in STEPS:
        wrong = got != wanted
    else:
        a, b = to_float(got, type), to_float(wanted, type)
        finite = np.isfinite(b)
        largest = np.max(np.abs(b[finite]), initial=0)
        # Sums of terms that cancel are exact to their terms, not to themselves.
        bound = STEPS[element] * np.abs(b) + STEPS["f32"] * largest + 1e-30
        with np.errstate(invalid="ignore"):
            for other in nudged:
                bound = bound + np.nan_to_num(np.abs(to_float(other, type) - b))
            near = np.abs(a - b) <= bound
        wrong = ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
        got, wanted = a, b
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{wrong.sum()} of {wrong.size} elements; at {at} {got[at]} instead of {wanted[at]}"


ROUNDING = re.compile(r"%(\w+) = arith\.truncf (%\w+) : f32 to")
FUNCTION = re.compile(r"%(\w+) = (math\.\w+) (%\w+) : (bf16|f16)$", re.MULTILINE)
NUDGES = [sign * 2.0 ** -bits for bits in (20, 18) for sign in (1, -1)]


def nudge(module, by):
    """Returns a module that multiplies by 1 + `by` before it rounds f32 to a narrower type.
    A number beside the middle of two narrow ones is rounded to the other one then, as it may
    be after another order of a sum, or another tanh; and what is computed of it follows."""
    wide = FUNCTION.sub(r"%wide_\1 = arith.extf \3 : \4 to f32\n"
                        r"%is_\1 = \2 %wide_\1 : f32\n"
                        r"%\1 = arith.truncf %is_\1 : f32 to \4", module)
    return ROUNDING.sub(rf"%by_\1 = arith.constant {1 + by!r} : f32\n"
                        r"%near_\1 = arith.mulf \2, %by_\1 : f32\n"
                        r"%\1 = arith.truncf %near_\1 : f32 to", wide)


#===-----------------------------------------------------------------------===#
# Raised functions
#===-----------------------------------------------------------------------===#

def run_kernel(kernel, operands, result_types):
    """Runs a kernel in the simulator on the arrays `operands`."""
    specs = OPERAND.findall(kernel[2])
    ins = [s for s in specs if s[2] != "out"]
    outs = [s for s in specs if s[2] == "out"]
    rows = 1
    for (_, _, _, role), array in zip(ins, operands):
        rows = array.shape[0] if role in ("row", "scalar") else rows
    for (_, _, _, role), type in zip(outs, result_types):
        rows = cpu.parse_type(type)[0][0] if role in ("row", "scalar") else rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "kernel.mlir").write_text(kernel[0])
        command = ["quack-run", path / "kernel.mlir", "--device=sim", f"--rows={rows}",
                   "--verify"]
        for (name, _, _, role), array in zip(ins, operands):
            if not role:
                command.append(f"--scalar={name}={array.item()!r}")
                continue
            np.save(path / f"{name}.npy", array)
            command.append(f"--in={name}={path / name}.npy")
        for name, *_ in outs:
            command.append(f"--out={name}={path / name}.npy")
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"quack-run: {ran.stderr}{ran.stdout}\n{kernel[0]}")
        return [np.load(path / f"{name}.npy") for name, *_ in outs]


def constants(names, arrays, types):
    return "\n".join(f"    %{n} = arith.constant {cpu.literal(a, t)} : {t}"
                     for n, a, t in zip(names, arrays, types))


def run_raised(module, arrays, limit):
    """Runs a raised module: each kernel in the simulator, once its operands are known."""
    kernels = {m[1]: m for m in KERNEL.finditer(module)}
    if limit is not None and len(kernels) != limit:
        raise RuntimeError(f"{len(kernels)} kernels instead of {limit}:\n{module}")
    text = KERNEL.sub("", module)
    _, types, results = signature(text)
    while call := CALL.search(text):
        name, _, kernel, given, made = call.groups()
        values, value_types = given.split(" : ")
        values = values.split(", ")
        value_types = split_types(value_types)
        # The function up to the call, which returns the call's operands.
        before = text[:call.start()] + f"    return {given}\n  }}\n}}\n"
        before = re.sub(r"(func\.func (?:public )?@main\(.*?\))(?: -> .*?)? {\n",
                        lambda m: f"{m[1]} -> ({', '.join(value_types)}) {{\n", before,
                        count=1)
        operands = evaluate(before, values, types, arrays, value_types)
        made = split_types(made)
        outputs = run_kernel(kernels[kernel], operands, made)
        outputs = [o.reshape(cpu.parse_type(t)[0]) for o, t in zip(outputs, made)]
        names = [f"result_{name}_{i}" for i in range(len(made))]
        text = (text[:call.start()] + constants(names, outputs, made) + text[call.end():])
        text = re.sub(rf"%{name}#(\d+)", rf"%result_{name}_\1", text)
        text = re.sub(rf"%{name}\b(?!_)", f"%result_{name}_0", text)
    return evaluate(text, None, types, arrays, results)


def evaluate(module, values, types, arrays, results):
    """Returns what the function returns; at once, if these are its arguments."""
    args = signature(module)[0]
    if values and all(v.lstrip("%") in args for v in values):
        return [arrays[args.index(v.lstrip("%"))] for v in values]
    return cpu.run(module, "main", types, arrays, results)


def compare(module, seed, limit=None, specials=False, rows=0):
    """Returns what differs between the function as it is and raised, or None."""
    plain = quack_opt("--inline", "-", text=module)
    raised = quack_opt("--inline", f"--quack-raise-linalg=rows={rows}", "--verify-each", "-", text=module)
    _, types, results = signature(plain)
    shapes = [cpu.parse_type(t)[0] for t in types]
    columns = max([s[-1] for s in shapes if s], default=8)
    rng = np.random.default_rng(seed)
    arrays = [random_input(rng, t, columns, specials) for t in types]
    wanted = cpu.run(plain, "main", types, arrays, results)
    got = run_raised(raised, arrays, limit)
    if all(difference(*both) is None for both in zip(got, wanted, results)):
        return None
    nudged = [cpu.run(nudge(plain, by), "main", types, arrays, results) for by in NUDGES]
    for i, (a, b, type) in enumerate(zip(got, wanted, results)):
        if wrong := difference(a, b, type, [run[i] for run in nudged]):
            return f"result {i}, {type}: {wrong}"
    return None


def parts(text):
    """Returns the modules of a file, their last function called main, with its old name."""
    for part in re.split(r"^// -----$", text, flags=re.MULTILINE):
        functions = re.findall(r"func\.func (?:public )?@(\w+)\(", part)
        name = "main" if "main" in functions else functions[-1]
        yield name, re.sub(rf"@{name}\b", "@main", part)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int)
    parser.add_argument("--specials", action="store_true",
                        help="with infinities and NaN among the inputs")
    parser.add_argument("--rows", type=int, default=0)
    options = parser.parse_args()
    faults = 0
    for name, module in parts(Path(options.file).read_text()):
        if wrong := compare(module, options.seed, options.kernels,
                            options.specials, options.rows):
            print(f"@{name}: {wrong}")
            faults += 1
    if not faults:
        print("PASS")
    sys.exit(faults != 0)


if __name__ == "__main__":
    main()
