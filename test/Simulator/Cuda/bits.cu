//===- Cuda/bits.cu - integers ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers: bit fields, permutations, products, SIMD within a word.
//
//===----------------------------------------------------------------------===//

static __device__ unsigned bitField(unsigned a, unsigned b, unsigned c) {
  unsigned unsignedField, inserted, mask, wrapped;
  int signedField;
  asm("bfe.u32 %0, %1, %2, %3;"
      : "=r"(unsignedField)
      : "r"(a), "r"(b & 63), "r"(c & 63));
  asm("bfe.s32 %0, %1, %2, %3;"
      : "=r"(signedField)
      : "r"(a), "r"(b & 63), "r"(c & 63));
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(inserted)
      : "r"(a), "r"(b), "r"(c & 63), "r"(c >> 8 & 63));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(b & 63), "r"(c & 63));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(wrapped) : "r"(a), "r"(b & 63));
  return unsignedField + 3 * signedField + 5 * inserted + 7 * mask +
         11 * wrapped;
}

static __device__ unsigned permutations(unsigned a, unsigned b, unsigned c) {
  unsigned f4e, b4e, rc8, ecl, ecr, rc16;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(f4e) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(b4e) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(rc8) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(ecl) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(ecr) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(rc16) : "r"(a), "r"(b), "r"(c));
  return f4e + 3 * b4e + 5 * rc8 + 7 * ecl + 11 * ecr + 13 * rc16 +
         17 * __byte_perm(a, b, c);
}

static __device__ unsigned carries(unsigned a, unsigned b, unsigned c) {
  unsigned low, high, product, difference, borrow;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, %4;"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b), "r"(c));
  asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %4, %3;"
      : "=r"(difference), "=r"(borrow)
      : "r"(a), "r"(b), "r"(c));
  asm("{\n\t.reg .u32 t;\n\tmad.lo.cc.u32 t, %1, %2, %3;\n\t"
      "madc.hi.u32 %0, %1, %2, t;\n\t}"
      : "=r"(product)
      : "r"(a), "r"(b), "r"(c));
  return low + 3 * high + 5 * product + 7 * difference + 11 * borrow;
}

extern "C" __global__ void bits(const unsigned *in, unsigned *out, int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  unsigned a = in[index], b = in[count + index], c = in[2 * count + index];
  unsigned long long wide = (unsigned long long)a << 32 | b;
  int fns;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(fns) : "r"(a), "r"(b & 31), "r"(3));
  unsigned results[] = {bitField(a, b, c),
                        permutations(a, b, c),
                        carries(a, b, c),
                        __funnelshift_l(a, b, c),
                        __funnelshift_rc(a, b, c),
                        (unsigned)__popc(a) + __popcll(wide) * 64,
                        (unsigned)__clz(a) + __clzll(wide) * 64 +
                            __ffs(a) * 8192,
                        __brev(a),
                        (unsigned)__brevll(wide),
                        (unsigned)__mulhi((int)a, (int)b),
                        __umulhi(a, b),
                        (unsigned)__umul64hi(wide, (unsigned long long)b * c),
                        (unsigned)__mul24((int)a, (int)b),
                        __umul24(a, b),
                        __usad(a, b, c),
                        __sad((int)a, (int)b, c),
                        (unsigned)__dp4a((int)a, (int)b, (int)c),
                        __dp4a(a, b, c),
                        (unsigned)__dp2a_lo((int)a, (int)b, (int)c),
                        __dp2a_hi(a, b, c),
                        (a & b) ^ (~a & c),
                        (a & b) | (a & c) | (b & c),
                        __vadd4(a, b),
                        __vsubss2(a, b),
                        __vmaxs2(a, b),
                        __vminu2(a, b),
                        __vabsdiffu4(a, b),
                        __vcmpgtu4(a, b),
                        (unsigned)__viaddmax_s32((int)a, (int)b, (int)c),
                        (unsigned)__vimax3_s32_relu((int)a, (int)b, (int)c),
                        (unsigned)__hadd((int)a, (int)b),
                        __urhadd(a, b),
                        (unsigned)fns,
                        b ? a / b : 0,
                        b ? a % b : 0,
                        (unsigned)((int)a / ((int)b | 1)),
                        (unsigned)((int)a % ((int)b | 1)),
                        (unsigned)(wide / (c | 1)),
                        (unsigned)((long long)wide % ((long long)c - 5)),
                        (unsigned)((short)a / ((short)b | 1)),
                        (unsigned)abs((int)a),
                        (unsigned)(a << (b & 31)) + ((int)a >> (c & 31))};
  constexpr int number = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < number; ++k)
    out[k * count + index] = results[k];
}
