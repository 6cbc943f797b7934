//===- Cuda/double-functions.cu - functions of doubles ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of double precision. They are made of operations that round, and so
// have the same bits wherever the same PTX runs.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void doubleFunctions(const double *in, double *out,
                                           int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double x = in[i], y = in[count + i];
  double results[] = {exp(x), log(fabs(y)), tanh(x), exp2(y)};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
}

// The argument of a sine reduced: a call, and a table in constant memory.
extern "C" __global__ void sines(const double *in, double *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = sin(in[i] * 1e5);
}
