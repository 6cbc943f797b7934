//===- Cuda/collatz.cu - divergent loops ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose lanes end at different times, with breaks and continues.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void collatz(const unsigned *in, unsigned *out) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long value = in[index] % 100000 + 1;
  unsigned steps = 0, odd = 0;
  while (value != 1) {
    ++steps;
    if (value % 2 == 0) {
      value /= 2;
      continue;
    }
    ++odd;
    value = 3 * value + 1;
    if (steps > 200)
      break;
  }
  unsigned primes = 0;
  for (unsigned n = 2; n < 2 + steps % 40; ++n) {
    bool isPrime = true;
    for (unsigned d = 2; d * d <= n && isPrime; ++d)
      isPrime = n % d != 0;
    primes += isPrime;
  }
  out[index] = steps | odd << 10 | primes << 20;
}
