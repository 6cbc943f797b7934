//===- Cuda/grid-reduce.cu - blocks that meet in global memory --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the grid: each block publishes its sum, the last one to arrive adds
// them up. And a scan whose blocks wait for the block before them.
//
//===----------------------------------------------------------------------===//

#include <cuda/atomic>

__device__ unsigned arrived;

extern "C" __global__ void gridReduce(const int *in, int *partial, int *out,
                                      int count) {
  __shared__ int sums[128];
  __shared__ bool isLast;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = 64; half; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    isLast = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast)
    return;
  __threadfence();
  if (threadIdx.x == 0) {
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
      total += ((volatile int *)partial)[i];
    *out = total;
  }
}

extern "C" __global__ void chainedScan(const int *in, int *out, int *sums,
                                       unsigned *flags) {
  __shared__ int values[128];
  __shared__ int before;
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = in[index];
  __syncthreads();
  int sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i)
    sum += values[i];
  if (threadIdx.x == blockDim.x - 1) {
    int earlier = 0;
    if (blockIdx.x > 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(
          flags[blockIdx.x - 1]);
      while (flag.load(cuda::memory_order_acquire) == 0)
        ;
      earlier = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = earlier + sum;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> mine(
        flags[blockIdx.x]);
    mine.store(1, cuda::memory_order_release);
    before = earlier;
  }
  __syncthreads();
  out[index] = sum + before;
}
