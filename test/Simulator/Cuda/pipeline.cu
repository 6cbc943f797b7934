//===- Cuda/pipeline.cu - cp.async ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums tiles that cp.async brings two stages ahead.
//
//===----------------------------------------------------------------------===//

#include <cuda_pipeline_primitives.h>

extern "C" __global__ void pipeline(const int4 *in, int *out, int tiles) {
  __shared__ int4 stages[3][128];
  const int4 *source = in + blockIdx.x * tiles * 128;
  int ahead = 0;
  for (; ahead < 2; ++ahead) {
    if (ahead < tiles)
      __pipeline_memcpy_async(&stages[ahead][threadIdx.x],
                              &source[ahead * 128 + threadIdx.x], 16);
    __pipeline_commit();
  }
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile, ++ahead) {
    if (ahead < tiles)
      __pipeline_memcpy_async(&stages[ahead % 3][threadIdx.x],
                              &source[ahead * 128 + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    int4 mine = stages[tile % 3][127 - threadIdx.x];
    sum += mine.x + 2 * mine.y + 3 * mine.z + 5 * mine.w;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Four bytes each, the last ones filled with zeros instead of read.
extern "C" __global__ void pipelineFill(const int *in, int *out, int count) {
  __shared__ int tile[128];
  int left = count - (int)threadIdx.x;
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[left > 0 ? threadIdx.x : 0],
                          4, left > 0 ? 0 : 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + (int)threadIdx.x;
}
