//===- Cuda/calls.cu - calls of functions -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: direct, recursive, through a pointer, with a struct by value.
//
//===----------------------------------------------------------------------===//

struct Pair {
  int first;
  long long second;
};

__device__ __noinline__ int gcd(int a, int b) {
  return b == 0 ? a : gcd(b, a % b);
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ Pair swapAndAdd(Pair pair, int delta) {
  Pair result;
  result.first = (int)pair.second + delta;
  result.second = pair.first - delta;
  return result;
}

__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int minus(int a, int b) { return a - b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }

__device__ int (*const operations[])(int, int) = {plus, minus, times, gcd};

extern "C" __global__ void calls(const int *in, int *out) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[index];
  Pair pair{value, index};
  pair = swapAndAdd(pair, 3);
  pair = swapAndAdd(pair, value & 15);
  int result = fibonacci(value & 7) + gcd((value & 1023) + 1, index + 1);
  result = operations[value >> 4 & 3](result, (index & 31) + 1);
  out[index] = result + pair.first + 7 * (int)pair.second;
}
