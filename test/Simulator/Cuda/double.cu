//===- Cuda/double.cu - double precision ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision: the operations that round as IEEE says.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void doubles(const double *in, double *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double x = in[i], y = in[count + i], z = in[2 * count + i];
  double results[] = {x + y,
                      x - y,
                      x * y,
                      x / y,
                      __dadd_rz(x, y),
                      __dadd_ru(x, y),
                      __dmul_rd(x, y),
                      __ddiv_rz(x, y),
                      fma(x, y, z),
                      __fma_rd(x, y, z),
                      sqrt(fabs(x)),
                      __dsqrt_ru(fabs(x)),
                      __drcp_rn(x),
                      __drcp_rd(x),
                      fmin(x, y),
                      fmax(x, y),
                      floor(x),
                      rint(x),
                      trunc(x),
                      copysign(x, y),
                      (double)(float)x,
                      (double)(x < y) + 2 * (x != z)};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
}
