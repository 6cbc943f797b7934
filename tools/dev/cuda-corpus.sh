#!/bin/sh
# tools/dev/cuda-corpus.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the CUDA kernels of test/Simulator/Cuda to PTX again; needs nvcc.
# Afterwards refresh what a GPU computes from them: tools/dev/cuda-corpus-gpu.py.
set -eu

PATH=$PATH:/usr/local/cuda/bin
cd "$(dirname "$0")/../../test/Simulator/Cuda"
for source in *.cu; do
  # ptxas must not fuse what the simulator rounds twice: -fmad=false.
  nvcc -ptx -arch=sm_90 -std=c++17 -fmad=false -o "${source%.cu}.ptx" "$source"
done
