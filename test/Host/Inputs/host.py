# test/Host/Inputs/host.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function as it is, and as a host program that launches kernels, and compares.

    host.py file.mlir --to=gpu|runtime --libraries=DIR [--plugin] [--launches=N]
            [--option=max-cluster=4 ...]

Both are run by mlir-runner. The host program's kernels are what the pipeline
quack-linalg-to-host makes of the function, and upstream's passes finish; they run in the
simulator, behind the functions of upstream's CUDA runtime or the launcher. With --plugin
the pipeline runs in upstream's mlir-opt, else in quack-opt. Prints PASS, or what differs."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "Raise" / "Inputs"))
import compare  # pylint: disable=wrong-import-position
import cpu  # pylint: disable=wrong-import-position

HOST = [
    "--convert-linalg-to-loops", "--expand-strided-metadata", "--lower-affine",
    "--math-extend-to-supported-types", "--math-expand-ops=ops=rsqrt",
    "--convert-scf-to-cf", "--gpu-to-llvm", "--convert-math-to-libm", "--convert-math-to-llvm",
    "--convert-arith-to-llvm", "--finalize-memref-to-llvm", "--convert-func-to-llvm",
    "--convert-cf-to-llvm", "--reconcile-unrealized-casts",
]


def make_host(text, options):
    """Returns the host program in upstream's dialects, with its kernels compiled."""
    settings = " ".join([f"to={options.to}", *options.option])
    plugin = f"{options.libraries}/libQuackPlugin.so"
    if options.plugin:
        binary = ",gpu-module-to-binary{format=isa}" if options.to == "gpu" else ""
        return cpu.lower(text, [
            f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
            "--verify-each", "--pass-pipeline=builtin.module(quack-linalg-to-host{"
            + settings + "}" + binary + ")"])
    ran = subprocess.run(["quack-opt", f"--quack-linalg-to-host={settings}", "--verify-each"],
                         input=text, text=True, capture_output=True)
    if ran.returncode:
        raise RuntimeError(f"quack-opt: {ran.stderr}\n{text}")
    if options.to == "runtime":
        return ran.stdout
    return cpu.lower(ran.stdout, [f"--load-dialect-plugin={plugin}",
                                  "--gpu-module-to-binary=format=isa"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--to", choices=["gpu", "runtime"], required=True)
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--plugin", action="store_true")
    parser.add_argument("--launches", type=int, help="how many there must be in the text")
    parser.add_argument("--option", action="append", default=[], help="of the pipeline")
    options = parser.parse_args()
    module = compare.quack_opt("-", text=Path(options.file).read_text())
    plain = compare.quack_opt("--inline", "-", text=module)
    _, types, results = compare.signature(plain)
    columns = max(s[-1] for t in types if (s := cpu.parse_type(t)[0]))
    rng = np.random.default_rng(1)
    arrays = [compare.random_input(rng, t, columns) for t in types]
    wanted = cpu.run(plain, "main", types, arrays, results)
    # Inlined, it is nowhere else.
    module = re.sub(r"func\.func (public )?@main", "func.func private @main", module)
    program = cpu.call_with(module, "main", types, arrays, results)
    # What prints works on tensors, too.
    host = make_host(cpu.lower(program, ["--convert-elementwise-to-linalg"]), options)
    launches = host.count("gpu.launch_func" if options.to == "gpu" else "call @quackLaunch(")
    if options.launches is not None and launches != options.launches:
        sys.exit(f"{launches} launches instead of {options.launches}:\n{host}")
    lowered = cpu.lower(host, HOST)
    if "unrealized_conversion_cast" in lowered:
        sys.exit(f"casts are left:\n{lowered}")
    got = cpu.run_lowered(lowered, results,
                          [f"{options.libraries}/libQuackSimulatedRuntime.so"])
    for index, (a, b, type) in enumerate(zip(got, wanted, results)):
        if wrong := compare.difference(a, b, type):
            sys.exit(f"result {index}, {type}: {wrong}")
    print("PASS")


if __name__ == "__main__":
    main()
