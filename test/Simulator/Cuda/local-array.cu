//===- Cuda/local-array.cu - local memory -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of a thread that is indexed at run time: local memory.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void localArray(const int *in, int *out) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int values[16];
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
    values[i] = in[index * 16 + i];
#pragma unroll 1
  for (int i = 1; i < 16; ++i) {
    int value = values[i], place = i;
    for (; place > 0 && values[place - 1] > value; --place)
      values[place] = values[place - 1];
    values[place] = value;
  }
  char digits[12];
  int length = 0;
  for (unsigned rest = (unsigned)values[index & 15]; rest || !length;
       rest /= 10)
    digits[length++] = (char)('0' + rest % 10);
  int hash = length;
  while (length)
    hash = hash * 33 + digits[--length];
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
    out[index * 17 + i] = values[i];
  out[index * 17 + 16] = hash;
}
