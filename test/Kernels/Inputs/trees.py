# test/Kernels/Inputs/trees.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the trees that quack-opt --emit=plan prints."""

import re
import subprocess
import sys

OPTIONAL = {
    "cross_entropy": ["lse:f32", "total:f32", "lse:f32,total:f32,weight_sum:f32"],
    "cross_entropy_backward": ["loss:f32,lse:f32", "total:f32"],
    "rms_norm": ["rstd:f32", "residual_out:{0}"],
    "layer_norm": ["mean:f32,rstd:f32", "residual_out:{0}"],
    "rms_norm_backward": ["dw:f32", "dw:f32,db:f32", "dresidual:{0}"],
    "layer_norm_backward": ["dw:f32", "dw:f32,db:f32", "dresidual:{0}"],
    "rms_norm_quantize_fp8": ["residual_out:{0}"],
    "layer_norm_quantize_fp8_groups": ["residual_out:{0}"],
}


def trees(kernel, columns, storage):
    """The trees of a kernel's plans."""
    done = subprocess.run(
        ["quack-opt", "%s/%s.mlir" % (sys.argv[1], kernel), "--columns=%d" % columns,
         "--storage=" + storage, "--emit=plan", "--plans=1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return re.findall("^// tree: (.*)$", done.stdout, re.MULTILINE)


for kernel, optional in OPTIONAL.items():
    for columns in (1, 100, 1003, 1024, 4096, 8192, 32768, 131072):
        for storage in ("bf16", "f32"):
            alone = trees(kernel, columns, storage)
            for names in optional:
                found = trees(kernel, columns, storage + "," + names.format(storage))
                assert len(alone) == 1 and found == alone, (kernel, columns, storage, names,
                                                            alone, found)
