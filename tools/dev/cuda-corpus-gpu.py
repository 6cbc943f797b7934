#!/usr/bin/env python3
# tools/dev/cuda-corpus-gpu.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of test/Simulator/Cuda on a GPU and keeps what they compute.

    tools/dev/cuda-corpus-gpu.py [OUT [NAME...]]

Writes each kernel's outputs, one after the other as raw words, to OUT/NAME.bin
(test/Simulator/Cuda/expected without OUT): what the simulator's test compares
with. Also OUT/NAME.twice for a kernel whose second run differs from the first,
which none may; and to OUT/instructions.tsv a hash of what each instruction form
of instructions.py computes, with the values in OUT/instructions.bin, which is
not kept. With names only those launches; "instructions" is the forms' name.
Needs an sm_90 GPU and its driver; no package of Python.
"""

import hashlib
import json
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Simulator" / "Cuda"))

import corpus
import instructions
from cuda_driver import Gpu, scalar


def run(gpu, launch):
    """Returns the bytes of all outputs."""
    ptx = (corpus.FOLDER / f"{launch.file}.ptx").read_text()
    # Afresh each time, since module variables keep their values.
    module = gpu.load(ptx)
    arguments, outputs, pointers = [], [], []
    for text in launch.arguments:
        if not corpus.is_array(text):
            arguments.append(scalar(text))
            continue
        isOutput = text.startswith("out:")
        data = (bytes(4 * int(text.split(":")[1])) if isOutput
                else corpus.generate(text))
        pointer = gpu.upload(data)
        pointers.append(pointer)
        arguments.append(struct.pack("<Q", pointer.value))
        if isOutput:
            outputs.append((pointer, len(data)))
    gpu.launch(module, launch.kernel, launch.extent("grid"),
               launch.extent("block"), launch.cluster, launch.shared, arguments)
    result = b"".join(gpu.download(*output) for output in outputs)
    for pointer in pointers:
        gpu.free(pointer)
    gpu.call("cuModuleUnload", module)
    return result


def run_instructions(gpu, out):
    """Runs each form on its inputs; 16 bytes of result for each of them."""
    hashes, values = {}, []
    each = 16 * instructions.COUNT
    for kind, forms in instructions.groups():
        module = gpu.load(instructions.module(forms))
        source = gpu.upload(instructions.inputs(kind))
        target = gpu.upload(bytes(each * len(forms)))
        gpu.launch(module, "forms", [instructions.COUNT // 128, 1, 1],
                   [128, 1, 1], 1, 0, [struct.pack("<Q", source.value),
                                       struct.pack("<Q", target.value)])
        data = gpu.download(target, each * len(forms))
        for k, form in enumerate(forms):
            result = data[each * k:each * (k + 1)]
            hashes[instructions.name(form)] = instructions.digest(
                form, result)
            values.append(result)
        gpu.free(source)
        gpu.free(target)
        gpu.call("cuModuleUnload", module)
    (out / "instructions.bin").write_bytes(b"".join(values))
    (out / "instructions.tsv").write_text(
        "".join(f"{form}\t{digest}\n" for form, digest in hashes.items()))


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                       else corpus.FOLDER / "expected")
    out.mkdir(parents=True, exist_ok=True)
    names = sys.argv[2:] or [launch.name for launch in corpus.LAUNCHES] + [
        "instructions"]
    gpu = Gpu()
    hashes, failed = {}, 0
    for launch in corpus.LAUNCHES:
        if launch.name not in names:
            continue
        try:
            first, second = run(gpu, launch), run(gpu, launch)
        except RuntimeError as error:
            # The context is lost with a fault: what follows would fail too.
            sys.exit(f"{launch.name}: {error}")
        (out / f"{launch.name}.bin").write_bytes(first)
        hashes[launch.name] = hashlib.sha256(first).hexdigest()
        if first != second:
            (out / f"{launch.name}.twice").write_bytes(second)
            print(f"{launch.name}: two runs differ")
            failed = 1
    print(json.dumps(hashes, indent=1), flush=True)
    if "instructions" in names:
        run_instructions(gpu, out)
    sys.exit(failed)


if __name__ == "__main__":
    main()
