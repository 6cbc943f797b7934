//===- Cuda/dynamic-shared.cu - dynamic shared memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory that holds three arrays of different types.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void dynamicShared(const int *in, double *out,
                                         int count) {
  extern __shared__ char memory[];
  double *doubles = reinterpret_cast<double *>(memory);
  int *ints = reinterpret_cast<int *>(doubles + count);
  short *shorts = reinterpret_cast<short *>(ints + count);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int value = in[blockIdx.x * count + i];
    doubles[i] = value * 0.5;
    ints[count - 1 - i] = value * 3;
    shorts[i ^ 1] = (short)value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[blockIdx.x * count + i] =
        doubles[count - 1 - i] + ints[i] - shorts[(i + 7) % count];
}
