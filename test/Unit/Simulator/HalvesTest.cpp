//===- HalvesTest.cpp - values that are undefined in part -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a pair of which nobody wrote the upper half, the lower one may be used.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include "gtest/gtest.h"

using namespace quack::sim;

namespace {
/// %r2 is the lane in its lower half; nobody wrote %rs9, the upper one. Each
/// lane stores to its own 8 bytes.
const std::string pair =
    "shl.b32 %r10, %r0, 3; cvt.u64.u32 %rd5, %r10; add.u64 %rd0, %rd0, %rd5;\n"
    "cvt.u16.u32 %rs1, %r0; mov.b32 %r2, {%rs1, %rs9};\n";
const std::string storeWord = "st.global.b32 [%rd0], %r3;",
                  storeHalf = "st.global.b16 [%rd0], %rs3;";

/// The lower half of what `compute` makes in %r3 is defined, the upper one and
/// the whole are not.
void keepsLower(const std::string &compute) {
  auto half = [&](const std::string &vector) {
    return pair + compute + " mov.b32 " + vector + ", %r3; " + storeHalf;
  };
  SCOPED_TRACE(compute);
  expectFault("undefined", half("{_, %rs3}"), half("{%rs3, _}"));
  expectFault("undefined", pair + compute + storeWord, half("{%rs3, _}"));
}
} // namespace

TEST(Halves, PackAndUnpack) {
  keepsLower("mov.b32 %r3, %r2;");
  keepsLower("mov.b64 %rd1, {%r2, %r9}; mov.b64 {%r3, %r4}, %rd1;");
  // In the other order.
  expectFault("undefined",
              pair + "mov.b32 %r3, {%rs9, %rs1}; mov.b32 {%rs3, _}, %r3; " +
                  storeHalf,
              pair + "mov.b32 %r3, {%rs9, %rs1}; mov.b32 {_, %rs3}, %r3; " +
                  storeHalf);
}

TEST(Halves, PackedArithmetic) {
  keepsLower("add.rn.bf16x2 %r3, %r2, %r2;");
  keepsLower("mul.rn.bf16x2 %r3, %r2, %r0;");
  keepsLower("fma.rn.f16x2 %r3, %r2, %r0, %r2;");
  keepsLower("max.bf16x2 %r3, %r0, %r2;");
  keepsLower("neg.f16x2 %r3, %r2;");
  keepsLower("ex2.approx.f16x2 %r3, %r2;");
  keepsLower("add.u16x2 %r3, %r2, %r0;");
  keepsLower("set.lt.f16x2.f16x2 %r3, %r2, %r0;");
  // A half of another operand that is undefined.
  keepsLower("mov.b32 %r4, {%rs1, %rs8}; add.rn.bf16x2 %r3, %r0, %r4;");
}

TEST(Halves, Bits) {
  keepsLower("xor.b32 %r3, %r2, %r0;");
  keepsLower("not.b32 %r3, %r2;");
  keepsLower("lop3.b32 %r3, %r2, %r0, %r0, 0x96;");
  keepsLower("prmt.b32 %r3, %r2, %r0, 0x3201;");
  keepsLower("prmt.b32 %r3, %r0, %r2, 0x7254;");
  keepsLower("setp.eq.u32 %p0, %r0, 99; selp.b32 %r3, %r0, %r2, %p0;");
}

TEST(Halves, Masks) {
  auto masks = [](const std::string &bad, const std::string &good) {
    SCOPED_TRACE(bad);
    expectFault("undefined", pair + bad + storeWord, pair + good + storeWord);
  };
  masks("and.b32 %r3, %r2, 0xffff0000;", "and.b32 %r3, %r2, 0xffff;");
  masks("and.b32 %r3, %r2, 0x1ffff;", "and.b32 %r3, 0xff, %r2;");
  masks("or.b32 %r3, %r2, 0xffff;", "or.b32 %r3, %r2, 0xffff0000;");
  // What takes nothing of the value is no use of it that can be right.
  masks("and.b32 %r3, %r2, 0;", "and.b32 %r3, %r2, 1;");
  // The result takes the mask's place.
  masks("mov.b32 %r3, 0xffff0000; and.b32 %r3, %r2, %r3;",
        "mov.b32 %r4, 0xffff; and.b32 %r3, %r2, %r4;");
}

TEST(Halves, Shifts) {
  auto shifts = [](const std::string &bad, const std::string &good) {
    SCOPED_TRACE(bad);
    expectFault("undefined", pair + bad + storeWord, pair + good + storeWord);
  };
  shifts("shl.b32 %r3, %r2, 15;", "shl.b32 %r3, %r2, 16;");
  shifts("shr.u32 %r3, %r2, 16;", "shl.b32 %r3, %r2, 20;");
  shifts("shl.b32 %r3, %r2, 32;", "shl.b32 %r3, %r2, 31;");
  std::string upper = "mov.b32 %r4, {%rs9, %rs1}; ";
  shifts(upper + "shr.u32 %r3, %r4, 15;", upper + "shr.u32 %r3, %r4, 16;");
  shifts(upper + "shr.s32 %r3, %r4, 1;", upper + "shr.s32 %r3, %r4, 17;");
}

TEST(Halves, Conversions) {
  auto converts = [](const std::string &bad, const std::string &good) {
    SCOPED_TRACE(bad);
    expectFault("undefined", pair + bad, pair + good);
  };
  converts("cvt.s32.s16 %r3, %rs9;" + storeWord,
           "cvt.s32.s16 %r3, %rs1;" + storeWord);
  std::string swapped = "mov.b32 %r4, {%rs9, %rs1}; ";
  converts(swapped + "cvt.u16.u32 %rs3, %r4;" + storeHalf,
           "cvt.u16.u32 %rs3, %r2;" + storeHalf);
  converts("cvt.u64.u32 %rd1, %r2; st.global.b64 [%rd0], %rd1;",
           "cvt.u64.u32 %rd1, %r2; shr.u64 %rd1, %rd1, 32; "
           "st.global.b64 [%rd0], %rd1;");
  keepsLower("cvt.rn.bf16x2.f32 %r3, %r9, %r0;");
}

TEST(Halves, Predicates) {
  auto chooses = [](const std::string &predicate) {
    return pair + "setp.lt.f16x2 %p0|%p1, %r2, %r0; selp.b32 %r3, 1, 2, " +
           predicate + ";" + storeWord;
  };
  expectFault("undefined", chooses("%p1"), chooses("%p0"));
}

TEST(Halves, Memory) {
  std::string place = "mov.u32 %r4, memory; shl.b32 %r5, %r0, 3; "
                      "add.s32 %r4, %r4, %r5; ",
              // Half of a word is written by itself, or as a word's half.
      half = place + "st.shared.b16 [%r4], %rs1; ld.shared.b32 %r3, [%r4];",
              word = place + "st.shared.v2.b32 [%r4], {%r2, %r0}; "
                             "ld.shared.v2.b32 {%r3, %r6}, [%r4];";
  keepsLower(half);
  keepsLower(word);
  // The elements of a vector are apart.
  expectFault("undefined", pair + word + "st.global.b32 [%rd0], %r3;",
              pair + word + "st.global.b32 [%rd0], %r6;");
  expectFault("undefined",
              pair + half + "st.global.v2.b16 [%rd0], {%rs1, %rs9};",
              pair + half + "st.global.b16 [%rd0], %rs1;");
}
