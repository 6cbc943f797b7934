//===- AtomicTest.cpp - atom, red, addresses, cache hints -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, atom and red: each operation by the value before and the value
// after. Then the instructions about addresses and caches.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

namespace {

const std::string alone = "setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n";

/// Word 0 is `initial` and becomes `after`; word 1 becomes the old value.
void expectAtom(const std::string &op, uint32_t initial, uint32_t operand,
                uint32_t after) {
  std::string body = alone + "mov.b32 %r2, " + std::to_string(operand) + ";\n";
  expectWords(body + "atom.global." + op +
                  " %r3, [%rd0], %r2;\n"
                  "st.global.b32 [%rd0+4], %r3;",
              {after, initial}, {}, {initial});
  expectWords(body + "red.relaxed.gpu.global." + op + " [%rd0], %r2;\n",
              {after}, {}, {initial});
  // In shared memory, through every kind of address.
  for (const char *address : {".shared::cta", ".shared::cluster", ""})
    expectWords(body + "st.shared.b32 [memory], " + std::to_string(initial) +
                    "; mov.u64 %rd1, memory;\n" +
                    (*address ? "" : "cvta.shared.u64 %rd1, %rd1;\n") + "atom" +
                    address + "." + op +
                    " %r3, [%rd1], %r2; ld.shared.b32 %r4, [memory];\n"
                    "st.global.v2.b32 [%rd0], {%r4, %r3};",
                {after, initial}, {}, {initial});
}

} // namespace

TEST(Atomics, Words) {
  expectAtom("add.u32", 5, 7, 12);
  expectAtom("add.s32", 5, uint32_t(-7), uint32_t(-2));
  expectAtom("min.u32", 5, 0x80000000, 5);
  expectAtom("min.s32", 5, 0x80000000, 0x80000000);
  expectAtom("max.u32", 5, 0x80000000, 0x80000000);
  expectAtom("max.s32", 5, 0x80000000, 5);
  expectAtom("and.b32", 6, 3, 2);
  expectAtom("or.b32", 6, 3, 7);
  expectAtom("xor.b32", 6, 3, 5);
  // (old >= b) ? 0 : old + 1
  expectAtom("inc.u32", 5, 5, 0);
  expectAtom("inc.u32", 4, 5, 5);
  expectAtom("inc.u32", 9, 5, 0);
  // (old == 0 || old > b) ? b : old - 1
  expectAtom("dec.u32", 0, 5, 5);
  expectAtom("dec.u32", 6, 5, 5);
  expectAtom("dec.u32", 5, 5, 4);
  expectAtom("add.f32", 0x3f800000, 0x40000000, 0x40400000);
  expectAtom("add.f32", 0x7f800000, 0xff800000, 0x7fffffff);
  expectAtom("add.noftz.f16x2", 0x00013c00, 0x00014000, 0x00024200);
  expectAtom("add.noftz.bf16x2", 0x3f803f80, 0x40003f80, 0x40404000);
}

/// PTX ISA, red: f32 sums in global memory flush, those in shared do not.
TEST(Atomics, Subnormals) {
  std::string body = alone +
                     "mov.b32 %r2, 0x80000001; st.shared.b32 [memory], 2;\n"
                     "red.global.add.f32 [%rd0], %r2;\n"
                     "red.shared.add.f32 [memory], %r2;\n"
                     "ld.shared.b32 %r3, [memory]; st.global.b32 "
                     "[%rd0+4], %r3;";
  expectWords(body, {0x80000000, 1}, {}, {0x80000002});
}

TEST(Atomics, ExchangeAndSwap) {
  std::string body = alone + "mov.b32 %r2, 7; mov.b32 %r3, 9;\n";
  expectWords(body + "atom.global.exch.b32 %r4, [%rd0], %r2; st.global.b32 "
                     "[%rd0+4], %r4;",
              {7, 5}, {}, {5});
  std::string swap = "atom.acq_rel.gpu.global.cas.b32 %r4, [%rd0], %r2, %r3; "
                     "st.global.b32 [%rd0+4], %r4;";
  expectWords(body + swap, {9, 7}, {}, {7});
  expectWords(body + swap, {8, 8}, {}, {8});
  std::string small = "mov.b16 %rs1, 7; mov.b16 %rs2, 9;\n"
                      "atom.global.cas.b16 %rs3, [%rd0+2], %rs1, %rs2; "
                      "cvt.u32.u16 %r4, %rs3; st.global.b32 [%rd0+4], %r4;";
  expectWords(body + small, {0x90005, 7}, {}, {0x70005});
  expectWords(body + small, {0x60007, 6}, {}, {0x60007});
  // One lane after the other, from lane 0 up.
  expectWords("mov.b32 %r2, 1; atom.global.add.u32 %r3, [%rd0+128], %r2;\n"
              "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;\n"
              "st.global.b32 [%rd1], %r3;",
              {0, 1, 2, 3, 4, 5});
  // What is exchanged holds a value; what is added to must hold one.
  expectFault("undefined",
              alone + "red.shared.add.u32 [memory], 1; ld.shared.b32 %r3, "
                      "[memory]; st.global.b32 [%rd0], %r3;",
              alone + "atom.shared.exch.b32 _, [memory], 1; ld.shared.b32 %r3, "
                      "[memory]; st.global.b32 [%rd0], %r3;");
}

TEST(Atomics, Wide) {
  std::string body = alone + "mov.b64 %rd2, -1;\n";
  expectWords(body + "red.global.add.u64 [%rd0], %rd2;", {4, 0}, {}, {5, 0});
  expectWords(body + "red.global.min.s64 [%rd0], %rd2;", {~0u, ~0u}, {}, {5});
  expectWords(body + "red.global.max.u64 [%rd0], %rd2;", {~0u, ~0u}, {}, {5});
  expectWords(alone + "red.global.add.f64 [%rd0], 0d3FF0000000000000;",
              {0, 0x40000000}, {}, {0, 0x3ff00000});
  std::string quads = alone + ".reg .b128 %q<4>;\n"
                              "mov.b64 %rd1, 1; mov.b64 %rd2, 2; mov.b64 %rd3, "
                              "3; mov.b128 %q0, {%rd1, %rd2};\n"
                              "mov.b128 %q1, {%rd3, %rd3};\n";
  std::string out = "mov.b128 {%rd4, %rd5}, %q2; st.global.v2.b64 [%rd0+16], "
                    "{%rd4, %rd5};";
  expectWords(quads + "atom.global.exch.b128 %q2, [%rd0], %q0;\n" + out,
              {1, 0, 2, 0, 5, 6, 7, 8}, {}, {5, 6, 7, 8});
  std::string swap = "atom.global.cas.b128 %q2, [%rd0], %q0, %q1;\n";
  expectWords(quads + swap + out, {3, 0, 3, 0, 1, 0, 2, 0}, {}, {1, 0, 2, 0});
  expectWords(quads + swap + out, {1, 0, 2, 1, 1, 0, 2, 1}, {}, {1, 0, 2, 1});
  expectFault("misaligned", quads + "atom.global.exch.b128 %q2, [%rd0+8], %q0;",
              quads + "atom.global.exch.b128 %q2, [%rd0+16], %q0;");
}

TEST(Atomics, HalvesAndVectors) {
  std::string body = alone + "mov.b16 %rs1, 0x4000; mov.b16 %rs2, 0x3c00; "
                             "mov.b32 %r2, 0x40003c00; mov.b32 %r3, "
                             "0x3f800000;\n";
  // f16: 1 + 2; bf16 0x3f80 + 0x4000 = 0x4040.
  expectWords(body + "red.global.add.noftz.f16 [%rd0+2], %rs1;", {0x42003c00},
              {}, {0x3c003c00});
  expectWords(body + "atom.global.add.noftz.bf16 %rs3, [%rd0], %rs1; cvt.u32."
                     "u16 %r4, %rs3; st.global.b32 [%rd0+4], %r4;",
              {0x00004040, 0x3f80}, {}, {0x3f80});
  expectWords(body + "red.global.add.noftz.v2.f16 [%rd0], {%rs1, %rs2};",
              {0x40004200}, {}, {0x3c003c00});
  expectWords(body + "red.global.max.noftz.v2.f16 [%rd0], {%rs1, %rs2};",
              {0x42004000}, {}, {0x42003c00});
  expectWords(body + "red.global.min.noftz.v2.f16x2 [%rd0], {%r2, %r2};",
              {0x3c003c00, 0x40003800}, {}, {0x3c003c00, 0x44003800});
  expectWords(body + "red.global.add.v4.f32 [%rd0], {%r3, %r3, %r3, %r3};",
              {0x40000000, 0x3f800000, 0x40400000, 0}, {},
              {0x3f800000, 0, 0x40000000, 0xbf800000});
  expectWords(body + "atom.global.add.v2.f32 {%r5, %r6}, [%rd0], {%r3, %r3}; "
                     "st.global.v2.b32 [%rd0+8], {%r5, %r6};",
              {0x40000000, 0x3f800000, 0x3f800000, 0}, {}, {0x3f800000});
  expectWords(body + "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;\n"
                     "red.global.add.L2::cache_hint.v2.f32 [%rd0], {%r3, %r3}, "
                     "%rd9;",
              {0x40000000, 0x3f800000}, {}, {0x3f800000});
  expectWords(body + "red.global.add.noftz.v8.bf16 [%rd0], {%rs1, %rs1, %rs1, "
                     "%rs1, %rs1, %rs1, %rs1, %rs2};",
              {0x40004000, 0x40004000, 0x40004000, 0x3c004000});
}

TEST(Atomics, WhatDoesNotExist) {
  for (const char *op :
       {"red.global.min.f32 [%rd0], %r2;", "red.global.add.s64 [%rd0], %rd1;",
        "red.global.add.f16x2 [%rd0], %r2;", "red.global.exch.b32 [%rd0], %r2;",
        "atom.global.inc.s32 %r2, [%rd0], %r2;",
        "atom.global.exch.b16 %rs1, [%rd0], %rs1;",
        "atom.global.add.b32 %r2, [%rd0], %r2;",
        "red.global.min.noftz.f16 [%rd0], %rs1;",
        "red.shared.add.v2.f32 [memory], {%r2, %r2};",
        "red.global.add.v8.f32 [%rd0], {%r2, %r2, %r2, %r2, %r2, %r2, %r2, "
        "%r2};"})
    expectError(op, "does not exist");
  expectError("red.acquire.gpu.global.add.u32 [%rd0], %r2;", "'.acquire'");
}

TEST(Addresses, OfSharedMemory) {
  // Rank by address: window of this CTA, of a peer, generic.
  std::string body =
      "mov.u64 %rd1, memory; mov.u32 %r4, memory;\n"
      "setp.ne.u32 %p0, %r0, 0; @%p0 ret; setp.ne.u32 %p0, %r1, 1; @%p0 ret;\n"
      "getctarank.shared::cluster.u32 %r5, %r4;\n"
      "mapa.shared::cluster.u32 %r6, %r4, 0; getctarank.shared::cluster.u32 "
      "%r6, %r6;\n"
      "cvta.shared.u64 %rd2, %rd1; getctarank.u64 %r7, %rd2;\n"
      "mapa.u64 %rd3, %rd2, 0; getctarank.u64 %r8, %rd3;\n"
      "st.global.v4.b32 [%rd0], {%r5, %r6, %r7, %r8};\n";
  expectWords(body, {1, 0, 1, 0}, {32, 2});
  std::string where;
  for (const char *address : {"%rd2", "%rd3", "%rd0"})
    for (const char *space : {"global", "shared", "shared::cta",
                              "shared::cluster", "local", "const"})
      where += "isspacep." + std::string(space) + " %p1, " + address +
               "; selp.b32 %r10, 1, 0, %p1; shl.b32 %r9, %r9, 1; or.b32 %r9, "
               "%r9, %r10;\n";
  expectWords(body + "mov.b32 %r9, 0;\n" + where +
                  "st.global.b32 [%rd0], %r9;\n",
              {0b011100'000100'100000}, {32, 2});
  // There and back.
  expectWords(alone + "mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1; "
                      "cvta.to.shared.u64 %rd3, %rd2;\n"
                      "st.shared.b32 [memory], 7; ld.shared.b32 %r2, [%rd3]; "
                      "ld.b32 %r3, [%rd2]; sub.u64 %rd4, %rd3, %rd1;\n"
                      "st.global.v2.b32 [%rd0], {%r2, %r3}; "
                      "st.global.b64 [%rd0+8], %rd4;",
              {7, 7, 0, 0});
  // In the cluster's window it is an address that peers can use.
  expectWords("mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1; "
              "cvta.to.shared::cluster.u64 %rd3, %rd2; "
              "st.shared.b64 [memory], %rd3;\n"
              "barrier.cluster.arrive; barrier.cluster.wait;\n"
              "xor.b32 %r2, %r1, 1; mapa.shared::cluster.u64 %rd4, %rd1, %r2; "
              "ld.shared::cluster.b64 %rd5, [%rd4];\n"
              "getctarank.shared::cluster.u64 %r3, %rd5; "
              "mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd6, %rd0; "
              "st.global.b32 [%rd6], %r3;\n"
              "barrier.cluster.arrive; barrier.cluster.wait;",
              {1, 0}, {1, 2});
  expectError("mapa.u32 %r2, %r4, 0;", "generic addresses have 64 bits");
  expectError("mapa.shared::cluster.b32 %r2, %r4, 0;", "does not exist");
  expectError("getctarank.u64 %rd2, %rd1;", "expected the width of .u32");
}

TEST(CacheHints, ChangeNothing) {
  std::string body =
      alone + "prefetch.global.L1 [%rd0]; prefetch.global.L2 [%rd0+4];\n"
              "prefetch.L2 [%rd0]; prefetch.global.L2::evict_last [%rd0];\n"
              "prefetchu.L1 [%rd0]; applypriority.global.L2::evict_normal "
              "[%rd0], 128;\n"
              "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 "
              "%rd1, [%rd0], 0x1000, 0x2000;\n"
              "createpolicy.fractional.L2::evict_first.b64 %rd2;\n"
              "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 "
              "%rd2, 0.5;\n"
              "createpolicy.cvt.L2.b64 %rd3, %rd2;\n"
              "ld.global.L2::cache_hint.b32 %r2, [%rd0], %rd1;\n"
              "st.global.b32 [%rd0+4], %r2;";
  expectWords(body, {5, 5}, {}, {5});
  std::string discard = "discard.global.L2 ";
  expectWords(alone + discard + "[%rd0+128], 128;", {5}, {}, {5});
  expectFault("misaligned", alone + discard + "[%rd0+64], 128;",
              alone + discard + "[%rd0], 128;");
  expectFault("out-of-bounds", alone + discard + "[%rd0+256], 128;",
              alone + discard + "[%rd0], 128;");
  expectError("discard.global.L2 [%rd0], 64;", "expected a size of 128");
  expectError("prefetch.global.L3 [%rd0];", "does not exist");
  expectError("createpolicy.fractional.b64 %rd1;", "does not exist");
}
