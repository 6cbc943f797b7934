//===- ShadowTest.cpp - what the check of races costs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of the host for each byte that a kernel touches, where granules are as
// small as they get.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

static constexpr uint32_t sharedBytes = 192 << 10;

/// Each CTA goes over its part of `bytes` bytes with `access`, in which [%rd2]
/// and [%r6] are the thread's next byte and [%rd3] is that of the same lane in
/// the next warp of two.
static std::string over(const std::string &access, uint32_t bytes,
                        const Shape &shape) {
  uint32_t part = bytes / (shape.cluster * shape.grid);
  std::string threads = std::to_string(shape.threads);
  return "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd1, %r2, " +
         std::to_string(part) +
         "; add.s64 %rd1, %rd1, %rd0; cvt.u64.u32 %rd2, %r0; add.s64 %rd2, "
         "%rd1, %rd2; xor.b32 %r3, %r0, 32; cvt.u64.u32 %rd3, %r3; add.s64 "
         "%rd3, %rd1, %rd3; mov.u32 %r5, memory; add.s32 %r6, %r5, %r0; "
         "mov.u32 %r7, 0; cvt.u16.u32 %rs1, %r0;\nL: " +
         access + "\nadd.s64 %rd2, %rd2, " + threads +
         "; add.s64 %rd3, %rd3, " + threads + "; add.s32 %r6, %r6, " + threads +
         "; add.s32 %r7, %r7, " + threads + "; setp.lt.u32 %p0, %r7, " +
         std::to_string(part) + "; @%p0 bra L;\n";
}

/// Expects no more than 16 bytes of the host for each of `touched` bytes where
/// CTAs go over `bytes`.
static void expectSmall(const std::string &access, uint32_t bytes,
                        uint32_t touched, const Shape &shape) {
  std::string text = wrap(over(access, bytes, shape));
  llvm::Expected<Module> module = Module::parse(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::vector<uint8_t> buffer(bytes);
  LaunchConfig config;
  config.block.x = shape.threads;
  config.cluster.x = shape.cluster;
  config.grid.x = shape.grid * shape.cluster;
  config.sharedBytes = sharedBytes;
  config.arguments = {1ull << 40};
  config.buffers = {{1ull << 40, buffer.data(), bytes}};
  Report report = llvm::cantFail(module->launch(config));
  EXPECT_EQ(describe(report), "");
  EXPECT_GE(report.shadowBytes, 4ull * touched) << access;
  EXPECT_LE(report.shadowBytes, 16ull * touched) << access;
}

static constexpr uint32_t globalBytes = 4 << 20;
static const std::string put = "st.global.u8 [%rd2], %rs1;",
                         get = "ld.global.u8 %rs2, [%rd2];",
                         // Each step of a warp needs a name of its own.
    meet = "bar.warp.sync -1;";

TEST(Shadow, BytesForAByteOfGlobalMemory) {
  for (const Shape &shape : {Shape{32}, Shape{1024}, Shape{256, 1, 16}})
    for (const std::string &access :
         {put, get, put + meet, get + meet + put + meet})
      expectSmall(access, globalBytes, globalBytes, shape);
  // Clusters that run apart are compared besides.
  std::string first = "setp.eq.u32 %p1, %r2, 0; @%p1 ";
  expectSmall(first + put + meet, globalBytes, globalBytes / 2, {256, 1, 2});
  // Those that run together have the same cells.
  expectSmall(put + meet + "fence.acq_rel.gpu;", globalBytes, globalBytes,
              {256, 1, 16});
}

TEST(Shadow, BytesForAByteThatTwoWarpsRead) {
  // Nothing orders them: both must be kept.
  std::string other = "ld.global.u8 %rs3, [%rd3];";
  expectSmall(get + meet + other + meet, globalBytes, globalBytes, {64});
}

TEST(Shadow, BytesForAByteOfSharedMemory) {
  std::string putShared = "st.shared.u8 [%r6], %rs1;",
              getShared = "ld.shared.u8 %rs2, [%r6];";
  for (const Shape &shape : {Shape{32}, Shape{1024}})
    for (const std::string &access :
         {putShared, putShared + meet + getShared + meet})
      expectSmall(access, sharedBytes, sharedBytes, shape);
}
