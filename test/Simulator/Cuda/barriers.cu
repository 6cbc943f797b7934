//===- Cuda/barriers.cu - barriers of a block -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named barriers between producers and consumers, barriers that vote, and
// barriers of the library in shared memory.
//
//===----------------------------------------------------------------------===//

#include <cuda/barrier>

extern "C" __global__ void namedBarriers(const int *in, int *out, int rounds) {
  __shared__ int slot[2][64];
  int lane = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int round = 0; round < rounds; ++round) {
      int stage = round % 2;
      if (round >= 2)
        asm volatile("barrier.sync %0, 128;" ::"r"(3 + stage) : "memory");
      slot[stage][lane] = in[(blockIdx.x * rounds + round) * 64 + lane];
      asm volatile("barrier.arrive %0, 128;" ::"r"(1 + stage) : "memory");
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      int stage = round % 2;
      asm volatile("barrier.sync %0, 128;" ::"r"(1 + stage) : "memory");
      sum = sum * 3 + slot[stage][63 - lane];
      if (round + 2 < rounds)
        asm volatile("barrier.arrive %0, 128;" ::"r"(3 + stage) : "memory");
    }
    out[blockIdx.x * 64 + lane] = sum;
  }
}

extern "C" __global__ void votingBarriers(const int *in, int *out) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  int result = __syncthreads_count(value & 1);
  result = result * 4 + __syncthreads_and((value & 0xff) != 0) * 2;
  result += __syncthreads_or((value & 0x3f) == 0);
  out[blockIdx.x * blockDim.x + threadIdx.x] = result;
}

extern "C" __global__ void blockBarrier(const int *in, int *out, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (int round = 0; round < rounds; ++round) {
    barrier.arrive_and_wait();
    int next = values[(threadIdx.x + round + 1) % 128];
    auto token = barrier.arrive();
    next = next * 3 + round;
    barrier.wait(std::move(token));
    values[threadIdx.x] = next;
  }
  out[blockIdx.x * 128 + threadIdx.x] = values[threadIdx.x];
}
