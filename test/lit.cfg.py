# test/lit.cfg.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: what a test file is, and which features this machine has."""

import os
import re
import shutil

import lit.formats

config.name = "quack"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Unit", "MiniCompiler"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.quack_build, "test")

tools = [os.path.join(config.quack_build, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
# Variables must not leak from one function's checks into the next one's.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=error"
# Compiled anew, and nothing of the user's is touched; tests of the cache say where it is.
config.environment["QUACK_CACHE_DIR"] = "off"
for name in ("CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

kernels = os.path.join(config.quack_source, "lib", "Kernels")


def rows_alone():
    """Library kernels without groups, picks or sums over rows, which leave fewer plans: but
    for sums of scalars that are optional."""
    others = re.compile(r"quack\.(accumulate|group_reduce) .*tensor|memref<f32> out single[,)]"
                        r"| picks")
    for name in sorted(os.listdir(kernels)):
        path = os.path.join(kernels, name)
        if name.endswith(".mlir"):
            with open(path, encoding="utf-8") as file:
                if not others.search(file.read()):
                    yield path


config.substitutions += [
    ("%python", config.python),
    ("%kernels", kernels),
    ("%row_kernels", " ".join(rows_alone())),
    ("%source", config.quack_source),
    ("%mlir_include", config.mlir_include_dir),
    ("%build", config.quack_build),
    ("%llvm_libraries", config.llvm_library_dir),
    ("%libraries", os.path.join(config.quack_build, "lib")),
    ("%simulated_cuda", os.path.join(config.quack_build, "lib", "simulated-cuda")),
    ("%plugin", os.path.join(config.quack_build, "lib", "libQuackPlugin.so")),
    ("%frontend", os.path.join(config.test_source_root, "Raise", "Inputs", "frontend")),
]

# Programs as a user would build them, strictly; they can load what the build made.
sanitizers = " -fsanitize=address,undefined" if config.sanitize else ""
config.substitutions += [
    ("%cc99", config.cc + " -std=c99 -pedantic -Wall -Wextra -Werror -O1" + sanitizers),
    ("%cxx11", config.cxx + " -std=c++11 -pedantic -Wall -Wextra -Werror" + sanitizers),
]
if os.path.exists(os.path.join(config.quack_build, "lib", "simulated-cuda", "libcuda.so.1")):
    config.available_features.add("simulated-cuda")

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# Then what is built needs the sanitizers' libraries.
if config.is_sanitized:
    config.available_features.add("sanitizers")

# CUDA_VISIBLE_DEVICES= is how one keeps tests off a GPU that is there.
if os.path.exists("/dev/nvidia0") and os.environ.get("CUDA_VISIBLE_DEVICES") != "":
    config.available_features.add("cuda")

# Tests that take minutes have a run of their own, which has no others.
for run in ("long", "product", "shapes"):
    if lit_config.params.get(run):
        config.available_features.add(run)
        config.limit_to_features.add(run)
