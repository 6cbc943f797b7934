//===- Cuda/conversions.cu - between number formats -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between every pair of formats that CUDA C++ has a name for.
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static __device__ unsigned bitsOf(half value) {
  return __half_as_ushort(value);
}
static __device__ unsigned bitsOf(__nv_bfloat16 value) {
  return __bfloat16_as_ushort(value);
}
static __device__ unsigned bitsOf(float value) {
  return __float_as_uint(value);
}
template <typename T> static __device__ unsigned wordOf(T pair) {
  unsigned word;
  memcpy(&word, &pair, 4);
  return word;
}

extern "C" __global__ void fromSingle(const float *in, unsigned *out,
                                      int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = in[i], y = in[count - 1 - i];
  unsigned results[] = {
      bitsOf(__float2half_rn(x)),
      bitsOf(__float2half_rz(x)),
      bitsOf(__float2half_rd(x)),
      bitsOf(__float2half_ru(x)),
      bitsOf(__float2bfloat16_rn(x)),
      bitsOf(__float2bfloat16_rz(x)),
      bitsOf(__float2bfloat16_rd(x)),
      bitsOf(__float2bfloat16_ru(x)),
      wordOf(__floats2half2_rn(x, y)),
      wordOf(__floats2bfloat162_rn(x, y)),
      (unsigned)__float2int_rn(x),
      (unsigned)__float2int_rz(x),
      (unsigned)__float2int_rd(x),
      (unsigned)__float2int_ru(x),
      __float2uint_rn(x),
      __float2uint_rz(x),
      (unsigned)(__float2ll_rz(x) >> 7),
      (unsigned)(__float2ull_rn(x) >> 9),
      __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3),
      __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2),
      __nv_cvt_float2_to_fp8x2(make_float2(x, y), __NV_SATFINITE, __NV_E4M3),
      __nv_cvt_float2_to_fp8x2(make_float2(x, y), __NV_SATFINITE, __NV_E5M2),
      bitsOf(rintf(x)),
      bitsOf(truncf(x)),
      bitsOf(floorf(x)),
      bitsOf(ceilf(x)),
      bitsOf(__saturatef(x)),
      (unsigned)(unsigned char)(int)x,
      (unsigned)(int)(short)(int)x};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
}

// All 65536 patterns of 16 bits, folded so that the result stays small.
extern "C" __global__ void fromSmall(unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short bits = (unsigned short)i;
  half h = __ushort_as_half(bits);
  __nv_bfloat16 b = __ushort_as_bfloat16(bits);
  __half2_raw pair;
  pair.x = bits;
  pair.y = (unsigned short)~bits;
  unsigned results[] = {
      bitsOf(__half2float(h)),
      bitsOf(__bfloat162float(b)),
      (unsigned)__half2int_rn(h),
      (unsigned)__half2int_rz(h),
      __half2uint_rd(h),
      (unsigned)(unsigned short)__half2short_ru(h),
      (unsigned)__half2ull_rn(h),
      (unsigned)__bfloat162int_rn(b),
      bitsOf(__int2half_rn((int)i - 32768)),
      bitsOf(__uint2half_rz(i)),
      bitsOf(__short2half_rn((short)bits)),
      bitsOf(__ushort2half_rd(bits)),
      bitsOf(__int2bfloat16_rn((int)i - 32768)),
      bitsOf(__uint2bfloat16_rz(i)),
      bitsOf(__float2half_rn(__bfloat162float(b))),
      bitsOf(__float2bfloat16_rn(__half2float(h))),
      bitsOf(__double2half((double)__half2float(h) * 1.0009765625)),
      __nv_cvt_halfraw_to_fp8((__half_raw)h, __NV_SATFINITE, __NV_E4M3),
      __nv_cvt_halfraw_to_fp8((__half_raw)h, __NV_SATFINITE, __NV_E5M2),
      __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3),
      __nv_cvt_bfloat16raw_to_fp8((__nv_bfloat16_raw)b, __NV_SATFINITE,
                                  __NV_E4M3),
      wordOf(__nv_cvt_fp8x2_to_halfraw2(bits, __NV_E4M3)),
      wordOf(__nv_cvt_fp8x2_to_halfraw2(bits, __NV_E5M2))};
  unsigned fold = 0;
  for (unsigned result : results)
    fold = fold * 0x9e3779b1u + result;
  for (int distance = 1; distance < 16; distance *= 2)
    fold = fold * 31 + __shfl_down_sync(~0u, fold, distance);
  if (threadIdx.x % 16 == 0)
    out[i / 16] = fold;
}

extern "C" __global__ void fromIntegers(const int *in, unsigned *out,
                                        int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int x = in[i];
  long long wide = (long long)x << (i % 32) ^ x;
  double d = __longlong_as_double((long long)x << 32 | (unsigned)~x);
  unsigned long long doubles[] = {
      (unsigned long long)__double_as_longlong(__int2double_rn(x)),
      (unsigned long long)__double_as_longlong(__ll2double_rz(wide)),
      (unsigned long long)__double_as_longlong(__ull2double_ru(wide)),
      (unsigned long long)__double2ll_rz(d),
      (unsigned long long)__double2ull_rn(d)};
  unsigned results[] = {bitsOf(__int2float_rn(x)),
                        bitsOf(__int2float_rz(x)),
                        bitsOf(__int2float_rd(x)),
                        bitsOf(__uint2float_ru((unsigned)x)),
                        bitsOf(__ll2float_rn(wide)),
                        bitsOf(__ull2float_rz((unsigned long long)wide)),
                        bitsOf(__double2float_rn(d)),
                        bitsOf(__double2float_rd(d)),
                        (unsigned)__double2int_rn(d),
                        __double2uint_rd(d),
                        (unsigned)(int)(signed char)x,
                        (unsigned)(unsigned short)x};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + i] = results[k];
  for (int k = 0; k < 5; ++k)
    out[(number + k) * count + i] =
        (unsigned)(doubles[k] >> 32) * 31 + (unsigned)doubles[k];
}
