//===- Cuda/math-exact.cu - single precision, rounded -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of single precision that round as IEEE says, and what is made of
// them.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void mathExact(const float *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = in[i], y = in[count + i], z = in[2 * count + i];
  float results[] = {
      x + y,
      x - y,
      x * y,
      x / y,
      __fadd_rz(x, y),
      __fadd_ru(x, y),
      __fmul_rd(x, y),
      __fmul_rz(x, y),
      __fdiv_ru(x, y),
      __fmaf_rn(x, y, z),
      __fmaf_rz(x, y, z),
      __fmaf_rd(x, y, z),
      sqrtf(x),
      __fsqrt_ru(x),
      __frcp_rn(x),
      __frcp_rz(x),
      fminf(x, y),
      fmaxf(x, y),
      copysignf(x, y),
      fabsf(x),
      fmodf(x, y),
      remainderf(x, y),
      nextafterf(x, y),
      ldexpf(x, (int)(i % 64) - 32),
      (float)ilogbf(x),
      roundf(x),
      (float)(isfinite(x) + 2 * isnan(x) + 4 * signbit(x) + 8 * (x < y))};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
}
