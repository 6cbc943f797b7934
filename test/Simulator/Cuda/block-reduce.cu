//===- Cuda/block-reduce.cu - sum and extremes of a block -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sum, minimum and maximum of a block: shuffles in a warp, shared memory
// between warps.
//
//===----------------------------------------------------------------------===//

template <typename Combine>
__device__ float reduceBlock(float value, float *partial, Combine combine) {
  for (int distance = 16; distance; distance /= 2)
    value = combine(value, __shfl_down_sync(~0u, value, distance));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned warps = blockDim.x / 32;
    value = threadIdx.x < warps ? partial[threadIdx.x] : partial[0];
    for (int distance = 1; distance < warps; distance *= 2) {
      float other = __shfl_down_sync(~0u, value, distance);
      if (threadIdx.x + distance < warps)
        value = combine(value, other);
    }
  }
  __syncthreads();
  return value;
}

extern "C" __global__ void blockReduce(const float *in, float *out, int count) {
  __shared__ float partial[32];
  float sum = 0, least = INFINITY, most = -INFINITY;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float value = in[blockIdx.x * count + i];
    sum += value;
    least = fminf(least, value);
    most = fmaxf(most, value);
  }
  sum = reduceBlock(sum, partial, [](float a, float b) { return a + b; });
  least =
      reduceBlock(least, partial, [](float a, float b) { return fminf(a, b); });
  most =
      reduceBlock(most, partial, [](float a, float b) { return fmaxf(a, b); });
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = sum;
    out[3 * blockIdx.x + 1] = least;
    out[3 * blockIdx.x + 2] = most;
  }
}
