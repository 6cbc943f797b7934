//===- CheckSubsetTest.cpp - any checks may be off --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks look at each other's state. Programs that use all that they know of
// run with every subset: the bits are the same, and nobody reads what is not
// kept.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

static constexpr unsigned allBits = checkAll | checkStrict;

/// Runs `run` with each subset of the checks under each kind of schedule. It
/// returns the faults; the buffer must end as it does with none.
template <typename F> static void forEachSubset(F run) {
  for (Options options : schedules()) {
    if (options.seed > 2)
      break;
    std::vector<uint32_t> first;
    for (unsigned checks = 0; checks <= allBits; ++checks) {
      options.checks = checks;
      std::vector<uint32_t> buffer(512);
      std::string faults = run(buffer, options);
      EXPECT_EQ(faults, "") << "checks " << checks;
      if (checks == 0)
        first = buffer;
      EXPECT_EQ(buffer, first) << "checks " << checks;
    }
  }
}

static void runSubsets(const std::string &body, const Shape &shape,
                       const std::vector<uint32_t> &words) {
  forEachSubset([&](std::vector<uint32_t> &buffer, const Options &options) {
    Report report = runBody(body, buffer, shape, options);
    EXPECT_EQ(std::vector<uint32_t>(buffer.begin(),
                                    buffer.begin() + ptrdiff_t(words.size())),
              words);
    return describe(report);
  });
}

static const std::string
    meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n",
    relaxed = "barrier.cluster.arrive.relaxed.aligned; "
              "barrier.cluster.wait.aligned;\n";

TEST(CheckSubsets, MBarriers) {
  // Of the CTA and of the peer, with and without order, until the end.
  runSubsets(
      "mov.u64 %rd1, memory; mov.u32 %r4, memory; xor.b32 %r2, %r1, 1;\n"
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
      "mbarrier.init.shared.b64 [memory], 2; mbarrier.init.shared.b64 "
      "[memory+8], 64; fence.mbarrier_init.release.cluster;\nA: " +
          relaxed +
          "mapa.shared::cluster.u64 %rd3, %rd1, %r2;\n"
          "mbarrier.arrive.release.cta.shared.b64 %rd4, [%r4+8];\n"
          "V: mbarrier.test_wait.shared.b64 %p1, [%r4+8], %rd4; @!%p1 bra V;\n"
          "@!%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
          "[%rd3];\n"
          "@!%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r4], 8;\n"
          "@!%p0 mbarrier.complete_tx.relaxed.cta.shared.b64 [%r4], 8;\n"
          "@!%p0 mbarrier.arrive.relaxed.cta.shared.b64 _, [%r4];\n"
          "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
          "[memory], 0; @!%p1 bra W;\n" +
          meet +
          "@!%p0 mbarrier.inval.shared.b64 [memory];\n"
          "mad.wide.u32 %rd5, %r1, 4, %rd0; @!%p0 st.global.b32 [%rd5], 5;\n",
      {64, 2}, {5, 5});
}

TEST(CheckSubsets, StoresAndReductionsToPeers) {
  runSubsets(
      "mov.u64 %rd1, memory; mov.u32 %r4, memory; xor.b32 %r2, %r1, 1;\n"
      "setp.ne.u32 %p0, %r0, 0; @!%p0 st.shared.b32 [memory+12], 3; @%p0 bra "
      "A;\nmbarrier.init.shared.b64 [memory], 1; "
      "fence.mbarrier_init.release.cluster;\nA: " +
          meet +
          "@%p0 bra B;\n"
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 8;\n"
          "mapa.shared::cluster.u64 %rd3, %rd1, %r2; add.s64 %rd4, %rd3, 8; "
          "add.s64 %rd5, %rd3, 12;\n"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd4], "
          "%r1, [%rd3];\n"
          "red.async.relaxed.cluster.add.shared::cluster.mbarrier::complete_tx:"
          ":bytes.u32 [%rd5], 4, [%rd3];\nB:\n"
          "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
          "[memory], 0; @!%p1 bra W;\n"
          "ld.shared.v2.b32 {%r5, %r6}, [memory+8]; mad.wide.u32 %rd5, %r1, 8, "
          "%rd0; @!%p0 st.global.v2.b32 [%rd5], {%r5, %r6};\n",
      {64, 2}, {1, 7, 0, 7});
}

TEST(CheckSubsets, Copies) {
  // In by a bulk copy and by cp.async, out by a bulk copy and a reduction.
  runSubsets(
      "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0; shl.b32 %r2, %r0, 2; "
      "add.s32 %r3, %r4, %r2; cvt.u64.u32 %rd1, %r2; add.s64 %rd1, %rd1, "
      "%rd0;\n@%p0 bra A;\n"
      "mbarrier.init.shared.b64 [memory], 1; mbarrier.init.shared.b64 "
      "[memory+8], 32; fence.proxy.async;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[memory+128], [%rd0], 128, [%r4];\nA: bar.sync 0;\n"
      "cp.async.ca.shared.global [%r3+256], [%rd1], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4+8];\n"
      "cp.async.commit_group; cp.async.wait_group 0;\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory], 0; @!%p1 bra W;\n"
      "U: mbarrier.try_wait.parity.shared.b64 %p1, [memory+8], 0; @!%p1 bra "
      "U;\n"
      "ld.shared.b32 %r5, [%r3+128]; ld.shared.b32 %r6, [%r3+256]; add.s32 "
      "%r5, %r5, %r6; add.s32 %r5, %r5, 1; bar.sync 0;\n"
      "st.shared.b32 [%r3+128], %r5; fence.proxy.async; bar.sync 0; @%p0 bra "
      "E;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0+256], [memory+128], "
      "128;\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0+512], "
      "[memory+128], 128;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nE:",
      {32}, {});
}

TEST(CheckSubsets, FencesAndAtomics) {
  runSubsets("mov.u32 %r2, %ctaid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra E;\n"
             "mad.wide.u32 %rd1, %r2, 4, %rd0; st.global.b32 [%rd1], %r2;\n"
             "fence.acq_rel.gpu; atom.add.global.u32 %r3, [%rd0+128], 1;\n"
             "red.add.release.gpu.global.u32 [%rd0+192], 1;\n"
             "setp.ne.u32 %p1, %r3, 3; @%p1 bra E; fence.sc.gpu;\n"
             "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0];\n"
             "add.s32 %r4, %r6, %r7; st.global.b32 [%rd0+132], %r4;\n"
             "st.release.gpu.global.b32 [%rd0+136], %r4;\n"
             "ld.acquire.gpu.global.b32 %r5, [%rd0+136];\n"
             "E: atom.add.shared.u32 %r6, [memory], 1;",
             {32, 1, 4}, {0, 1, 2, 3});
}

TEST(CheckSubsets, DependentLaunches) {
  forEachSubset([&](std::vector<uint32_t> &buffer, const Options &options) {
    std::vector<Module> modules;
    for (const char *body :
         {"griddepcontrol.launch_dependents; atom.add.global.u32 %r2, [%rd0], "
          "1;",
          "griddepcontrol.wait; ld.relaxed.gpu.global.b32 %r2, [%rd0]; "
          "mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.b32 [%rd1+128], %r2;"})
      modules.push_back(llvm::cantFail(Module::parse(wrap(body))));
    std::vector<StreamLaunch> stream(2);
    for (unsigned i = 0; i < 2; ++i) {
      stream[i].module = &modules[i];
      stream[i].programmatic = true;
      stream[i].config.block.x = 64;
      stream[i].config.sharedBytes = 1024;
      stream[i].config.arguments = {1ull << 40};
      stream[i].config.buffers = {
          {1ull << 40, buffer.data(), buffer.size() * 4}};
    }
    std::string faults;
    for (const Report &report : llvm::cantFail(launchAll(stream, options)))
      faults += describe(report);
    EXPECT_EQ(buffer[32 + 63], 64u);
    return faults;
  });
}
