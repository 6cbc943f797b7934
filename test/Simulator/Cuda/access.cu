//===- Cuda/access.cu - accesses of every width -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of every width, with strides and cache hints.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void strided(const float *in, float *out, int stride) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index] = in[index * stride] + in[index * stride + 1];
}

extern "C" __global__ void widths(const char *in, char *out, int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  float4 sixteen = __ldg(reinterpret_cast<const float4 *>(in) + index);
  double2 other = __ldcs(reinterpret_cast<const double2 *>(in) + index);
  int2 eight = __ldcg(reinterpret_cast<const int2 *>(in) + index);
  short4 shorts = __ldca(reinterpret_cast<const short4 *>(in) + index);
  char4 bytes = reinterpret_cast<const char4 *>(in)[index];
  short two = __ldlu(reinterpret_cast<const short *>(in) + index);
  char one = __ldcv(in + index);
  int sum = eight.x ^ eight.y ^ shorts.x ^ shorts.w << 3 ^ bytes.z ^ two ^ one;
  int4 result =
      make_int4(__float_as_int(sixteen.x) ^ sum,
                __float_as_int(sixteen.w) + sum, __double2loint(other.y), sum);
  __stwt(reinterpret_cast<int4 *>(out) + index, result);
  __stcs(reinterpret_cast<short *>(out + 16 * count) + index, (short)sum);
  out[18 * count + index] = (char)(sum >> 8);
}

// Shared memory by 4, 8 and 16 bytes, with a broadcast and with conflicts.
extern "C" __global__ void banks(const float4 *in, float4 *out) {
  __shared__ float4 quads[128];
  quads[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  const float *words = reinterpret_cast<const float *>(quads);
  const float2 *pairs = reinterpret_cast<const float2 *>(quads);
  int t = threadIdx.x;
  float conflicts = words[t * 2 % 512] + words[t * 4 % 512] + words[t / 32];
  float2 pair = pairs[t ^ 5], spread = pairs[t * 2];
  float4 quad = quads[127 - t], few = quads[t / 8];
  float4 mixed = quads[t * 5 % 128];
  out[blockIdx.x * 128 + t] =
      make_float4(conflicts + mixed.x, pair.x + spread.y, quad.y + few.z,
                  quad.w + pair.y + mixed.w);
}

// A load with each cache operator.
#define HINTED(name, load)                                                     \
  extern "C" __global__ void name(const int4 *in, int *out) {                  \
    int index = blockIdx.x * blockDim.x + threadIdx.x;                         \
    int4 value = load(in + index);                                             \
    out[index] = value.x ^ value.y * 3 ^ value.z * 5 ^ value.w * 7;            \
  }
HINTED(loadNc, __ldg)
HINTED(loadCa, __ldca)
HINTED(loadCg, __ldcg)
HINTED(loadCs, __ldcs)
HINTED(loadLu, __ldlu)
HINTED(loadCv, __ldcv)
