//===- Cuda/parameters.cu - parameters and module variables -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct by value, tables in constant memory, and variables of the module.
//
//===----------------------------------------------------------------------===//

struct Options {
  int scale[4];
  long long bias;
  short step;
  float factor;
};

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ float weights[4] = {0.5f, -2.0f, 0.25f, 8.0f};
__device__ unsigned char letters[] = "quack";
__device__ int base = 100;
__device__ int *pointer = &base;
__device__ int visits;

extern "C" __global__ void parameters(const int *in, int *out, Options options,
                                      char small) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[index];
  int result = value * options.scale[index & 3] + (int)options.bias;
  result += table[value & 7] * options.step + letters[index % 5] + small;
  result += (int)(weights[value >> 3 & 3] * options.factor * 16);
  out[index] = result + *pointer;
  if (threadIdx.x == 0)
    atomicAdd(&visits, 1);
}
