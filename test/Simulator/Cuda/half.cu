//===- Cuda/half.cu - f16 and bf16 ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons and conversions of half precision and bfloat16.
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halfArith(const unsigned *in, unsigned *out,
                                     int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  unsigned bits[3] = {in[index], in[count + index], in[2 * count + index]};
  half2 a, b, c;
  memcpy(&a, &bits[0], 4);
  memcpy(&b, &bits[1], 4);
  memcpy(&c, &bits[2], 4);
  half2 results[] = {__hadd2(a, b),
                     __hsub2(a, b),
                     __hmul2(a, b),
                     __hfma2(a, b, c),
                     __hfma2_relu(a, b, c),
                     __hadd2_sat(a, b),
                     __hmul2_sat(a, b),
                     __hmax2(a, b),
                     __hmin2(a, b),
                     __hmax2_nan(a, b),
                     __hmin2_nan(a, b),
                     __hneg2(a),
                     __habs2(a),
                     __hlt2(a, b),
                     __hgeu2(a, b),
                     __h2div(a, b),
                     h2sqrt(a),
                     h2trunc(a),
                     h2rint(a),
                     h2ceil(a),
                     __low2half2(a),
                     __lowhigh2highlow(a),
                     __halves2half2(a.x, b.y)};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int i = 0; i < number; ++i) {
    unsigned word;
    memcpy(&word, &results[i], 4);
    out[i * count + index] = word;
  }
  out[number * count + index] = __hbeq2(a, b) | __hblt2(a, b) << 1 |
                                __hbgtu2(a, b) << 2 | __hisnan(a.x) << 3 |
                                __heq(a.x, b.y) << 4 | __hltu(a.y, b.x) << 5 |
                                __hne2_mask(a, b) << 6;
}

extern "C" __global__ void bfloatArith(const unsigned *in, unsigned *out,
                                       int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  unsigned bits[3] = {in[index], in[count + index], in[2 * count + index]};
  __nv_bfloat162 a, b, c;
  memcpy(&a, &bits[0], 4);
  memcpy(&b, &bits[1], 4);
  memcpy(&c, &bits[2], 4);
  __nv_bfloat162 results[] = {
      __hadd2(a, b),         __hsub2(a, b),     __hmul2(a, b), __hfma2(a, b, c),
      __hfma2_relu(a, b, c), __hadd2_sat(a, b), __hmax2(a, b), __hmin2(a, b),
      __hmax2_nan(a, b),     __hmin2_nan(a, b), __hneg2(a),    __habs2(a),
      __hlt2(a, b),          __hgeu2(a, b),     h2trunc(a),    h2rint(a)};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int i = 0; i < number; ++i) {
    unsigned word;
    memcpy(&word, &results[i], 4);
    out[i * count + index] = word;
  }
  out[number * count + index] = __hbeq2(a, b) | __hblt2(a, b) << 1 |
                                __hbgtu2(a, b) << 2 | __hisnan(a.x) << 3;
}
