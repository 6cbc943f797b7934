//===- Cuda/atomics.cu - atomic operations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on every type that has them, in global and shared memory.
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void atomics(const int *in, unsigned *words,
                                   unsigned long long *longs, float *floats,
                                   double *sum, half2 *halves,
                                   __nv_bfloat162 *bfloats,
                                   unsigned short *shorts) {
  __shared__ unsigned shared[8];
  __shared__ unsigned long long wide;
  __shared__ float sharedFloat;
  if (threadIdx.x < 8)
    shared[threadIdx.x] = threadIdx.x == 2 ? ~0u : 0;
  if (threadIdx.x == 0) {
    wide = 0;
    sharedFloat = 0;
  }
  __syncthreads();
  int index = blockIdx.x * blockDim.x + threadIdx.x, value = in[index] & 0xff;
  atomicAdd(&words[0], value);
  atomicMax(&words[1], value);
  atomicMin((int *)&words[2], -value);
  atomicOr(&words[3], 1u << (value & 31));
  atomicXor(&words[4], (unsigned)in[index]);
  atomicInc(&words[5], 99);
  atomicDec(&words[6], 1000);
  atomicSub(&words[7], value);
  atomicAdd(&longs[0], (unsigned long long)value << 20);
  atomicMax(&longs[1], (unsigned long long)value << 33 | (unsigned)index);
  atomicAdd(&floats[value & 7], (float)value);
  atomicAdd(sum, value * 0.5);
  atomicAdd(&halves[value & 3], __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&bfloats[value & 15], __floats2bfloat162_rn(1.0f, 0.5f));
  atomicAdd((half *)&halves[4], __float2half(1.0f));
  // A spinning compare-and-swap on 16 bits: counts up.
  unsigned short expected = 0, seen;
  while ((seen = atomicCAS(&shorts[value & 1], expected,
                           (unsigned short)(expected + 1))) != expected)
    expected = seen;
  atomicAdd(&shared[0], value);
  atomicMax(&shared[1], value);
  atomicAnd(&shared[2], value | 0xf000);
  atomicExch(&shared[3], 7u);
  atomicCAS(&shared[4], 0u, 9u);
  atomicAdd(&wide, (unsigned long long)value);
  atomicAdd(&sharedFloat, (float)value);
  __syncthreads();
  if (threadIdx.x < 5)
    words[8 + blockIdx.x * 8 + threadIdx.x] = shared[threadIdx.x];
  if (threadIdx.x == 5)
    words[8 + blockIdx.x * 8 + 5] = (unsigned)wide;
  if (threadIdx.x == 6)
    words[8 + blockIdx.x * 8 + 6] = (unsigned)sharedFloat;
}
