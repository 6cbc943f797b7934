# test/Raise/Inputs/cpu.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function over tensors on the CPU, by upstream's tools alone: linalg becomes
loops, floats become calls of LLVM's own arithmetic, which rounds as each type says.

Arrays are numpy arrays of bit patterns for types that numpy lacks (bf16: uint16, floats of
8 bits: uint8, i1: bool)."""

import re
import subprocess
from pathlib import Path

import numpy as np

OPT, RUNNER = "mlir-opt", "mlir-runner"
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "f8E4M3FN": np.uint8,
         "f8E5M2": np.uint8, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
         "i32": np.int32, "i64": np.int64, "f64": np.float64}
BITS = {"f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "i1": 1, "i8": 8,
        "i16": 16, "i32": 32, "i64": 64, "f64": 64}

DECOMPOSE = Path(__file__).parent / "decompose-softmax.mlir"
LOWER = [
    f"--transform-preload-library=transform-library-paths={DECOMPOSE}",
    "--transform-interpreter", "--inline", "--eliminate-empty-tensors", "--convert-elementwise-to-linalg",
    "--one-shot-bufferize=bufferize-function-boundaries", "--convert-bufferization-to-memref",
    "--convert-linalg-to-loops", "--expand-strided-metadata", "--lower-affine",
    "--math-extend-to-supported-types", "--math-expand-ops=ops=rsqrt", "--convert-arith-to-apfloat",
    "--convert-scf-to-cf", "--convert-math-to-libm", "--convert-math-to-llvm",
    "--convert-arith-to-llvm", "--finalize-memref-to-llvm", "--convert-func-to-llvm",
    "--convert-cf-to-llvm", "--reconcile-unrealized-casts",
]


def parse_type(text):
    """Returns the shape and the element type of `tensor<4x8xf32>`, or of `f32`."""
    inner = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+)>", text.strip())
    if not inner:
        return None, text.strip()
    return [int(n) for n in inner[1].split("x")[:-1]], inner[2]


def literal(array, type):
    """Returns a dense literal, or a number for a scalar's type."""
    shape, element = parse_type(type)
    if shape is None:
        return repr(array.item()) if element != "f32" else \
            f"0x{np.float32(array).view(np.uint32):08X}"
    if element == "i1":
        values = "[" + ", ".join("true" if v else "false" for v in array.flat) + "]"
        for size in reversed(shape[1:]):
            parts = re.findall(r"\[.*?\]|[^,\[\] ]+", values[1:-1])
            values = "[" + ", ".join(
                "[" + ", ".join(parts[i:i + size]) + "]"
                for i in range(0, len(parts), size)) + "]"
        return f"dense<{values if shape else values[1:-1]}>"
    data = np.ascontiguousarray(array).tobytes()
    if len(data) == BITS[element] // 8:
        value = int.from_bytes(data, "little")
        text = f"0x{value:0{BITS[element] // 4}X}" if "f" in element else str(array.item())
        return f"dense<{text}>"
    return f'dense<"0x{data.hex().upper()}">'


def printing(number, type):
    """Returns the lines that print a result as integers of its bits."""
    shape, element = parse_type(type)
    dims = "".join(f"{n}x" for n in shape)
    bits = BITS[element]
    value, lines = f"%r{number}", []
    if not element.startswith("i"):
        lines.append(f"%b{number} = arith.bitcast {value} : {type} to tensor<{dims}i{bits}>")
        value = f"%b{number}"
    if bits < 32:
        lines.append(f"%e{number} = arith.extui {value} : tensor<{dims}i{bits}> to "
                     f"tensor<{dims}i32>")
        value, bits = f"%e{number}", 32
    strided = f"memref<{dims}i{bits}>"
    lines += [
        f"%m{number} = bufferization.to_buffer {value} : tensor<{dims}i{bits}> to {strided}",
        f"%u{number} = memref.cast {strided[:-1]}> : {strided} to memref<*xi{bits}>".replace(
            f"memref.cast {strided}", f"memref.cast %m{number}"),
        f"func.call @printMemrefI{bits}(%u{number}) : (memref<*xi{bits}>) -> ()",
    ]
    return lines


def call_with(module, name, types, arrays, results):
    """Returns `module` with a function @run, which calls function `name` on the arrays and
    prints its results."""
    lines = [f"%a{i} = arith.constant {literal(array, type)} : {type}"
             for i, (array, type) in enumerate(zip(arrays, types))]
    given = ", ".join(f"%a{i}" for i in range(len(arrays)))
    made = ", ".join(f"%r{i}" for i in range(len(results)))
    lines.append(f"{made} = func.call @{name}({given}) : ({', '.join(types)}) -> "
                 f"({', '.join(results)})")
    for i, type in enumerate(results):
        lines += printing(i, type)
    body = "\n".join("    " + line for line in lines)
    # The function's module is closed by the last brace.
    text = module.rstrip()
    wrapper = ("  func.func private @printMemrefI32(memref<*xi32>) attributes "
               "{llvm.emit_c_interface}\n"
               "  func.func private @printMemrefI64(memref<*xi64>) attributes "
               "{llvm.emit_c_interface}\n"
               f"  func.func @run() {{\n{body}\n    return\n  }}\n")
    assert text.endswith("}"), text
    return text[:-1] + wrapper + "}\n"


def lower(text, passes):
    """Returns what mlir-opt makes of the text."""
    lowered = subprocess.run([OPT, *passes], input=text, text=True, capture_output=True)
    if lowered.returncode:
        raise RuntimeError(f"{OPT}: {lowered.stderr}\n{text}")
    return lowered.stdout


def run_lowered(text, results, libraries=()):
    """Runs @run of a module in the LLVM dialect; returns what it printed, an array for each
    of the types `results`."""
    folder = libraries_folder()
    ran = subprocess.run(
        [RUNNER, "-e", "run", "-entry-point-result=void", "-O0",
         *(f"--shared-libs={folder}/{lib}" for lib in
           ("libmlir_runner_utils.so", "libmlir_c_runner_utils.so",
            "libmlir_float16_utils.so", "libmlir_apfloat_wrappers.so")),
         *(f"--shared-libs={lib}" for lib in libraries),
         "--shared-libs=libm.so.6"],
        input=text, text=True, capture_output=True)
    if ran.returncode:
        raise RuntimeError(f"{RUNNER}: {ran.stderr}")
    printed = [part.split("data =", 1)[1] for part in ran.stdout.split("Unranked Memref")[1:]]
    assert len(printed) == len(results), ran.stdout
    return [from_bits([int(n) for n in re.findall(r"-?\d+", text)], type)
            for text, type in zip(printed, results)]


def run(module, name, types, arrays, results):
    """Calls function `name` of the text `module`. Returns an array for each of the types
    `results`."""
    text = call_with(module, name, types, arrays, results)
    # That conversion fails on f64, which the CPU computes as well.
    passes = [p for p in LOWER if "apfloat" not in p or "f64" not in text]
    return run_lowered(lower(text, passes), results)


def from_bits(numbers, type):
    shape, element = parse_type(type)
    mask = (1 << BITS[element]) - 1
    unsigned = np.array([n & mask for n in numbers], dtype=np.uint64)
    width = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
    raw = unsigned.astype(width[BITS[element]])
    return (raw != 0 if element == "i1" else raw.view(NUMPY[element])).reshape(shape)


def libraries_folder():
    found = subprocess.run(["llvm-config", "--libdir"], capture_output=True, text=True)
    return found.stdout.strip()
