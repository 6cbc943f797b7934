//===- Cuda/math-approx.cu - single precision, approximate ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of single precision that only come near the exact value.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void mathApprox(const float *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = in[i], y = fabsf(in[count + i]) + 0.001f;
  float results[] = {expf(x),   __expf(x),         exp2f(x),   logf(y),
                     __logf(y), log2f(y),          log1pf(y),  expm1f(x),
                     rsqrtf(y), sinf(x),           cosf(x),    __sinf(x),
                     __cosf(x), tanhf(x),          powf(y, x), __fdividef(x, y),
                     cbrtf(y),  1 / (1 + expf(-x))};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
}
