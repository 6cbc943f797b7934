//===- LaunchTest.cpp - launches, one after the other ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace llvm;
using namespace quack::sim;

/// Counts up a variable of the module, and leaves its value, %gridid and
/// whether it came first in the buffer.
static const std::string counting = R"(.version 8.3
.target sm_90
.address_size 64
.global .u32 count = 5;
.visible .entry test(.param .u64 buffer) {
.reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [buffer];
ld.global.u32 %r1, [count];
add.u32 %r1, %r1, 1;
st.global.u32 [count], %r1;
st.global.u32 [%rd0], %r1;
mov.u64 %rd1, %gridid;
st.global.u64 [%rd0+8], %rd1;
mov.u32 %r2, %gridid;
st.global.u32 [%rd0+16], %r2;
ret;
}
)";

static LaunchConfig launchOn(std::vector<uint32_t> &buffer) {
  LaunchConfig config;
  config.arguments = {1ull << 40};
  config.buffers = {{1ull << 40, buffer.data(), buffer.size() * 4}};
  return config;
}

TEST(Launches, SchedulesStartOnTheModulesVariablesToo) {
  Module module = cantFail(Module::parse(counting));
  std::vector<uint32_t> buffer(16);
  LaunchConfig config = launchOn(buffer);
  Report report = cantFail(module.launchEach(config, schedules()));
  EXPECT_EQ(describe(report), "");
  EXPECT_EQ(buffer[0], 6u);
  // The next launch sees what this one left.
  report = cantFail(module.launchEach(config, schedules()));
  EXPECT_EQ(describe(report), "");
  EXPECT_EQ(buffer[0], 7u);
}

TEST(Launches, SchedulesThatLeaveOtherVariables) {
  // The last CTA to write wins, and who that is differs.
  Module module = cantFail(Module::parse(R"(.version 8.3
.target sm_90
.address_size 64
.global .u32 last;
.visible .entry test() {
.reg .b32 %r<9>;
mov.u32 %r1, %ctaid.x;
st.global.u32 [last], %r1;
ret;
}
)"));
  LaunchConfig config;
  config.grid.x = 2;
  std::vector<Options> options = schedules();
  for (Options &each : options)
    each.checks = 0;
  options.resize(2);
  // Clusters that cannot meet run in the order of the grid.
  EXPECT_EQ(describe(cantFail(module.launchEach(config, options))), "");
  module = cantFail(Module::parse(R"(.version 8.3
.target sm_90
.address_size 64
.global .u32 last;
.visible .entry test() {
.reg .b32 %r<9>;
mov.u32 %r1, %tid.x;
st.global.u32 [last], %r1;
ret;
}
)"));
  config.grid.x = 1;
  config.block.x = 64;
  EXPECT_TRUE(
      has(cantFail(module.launchEach(config, options)), "schedule-dependent"));
}

TEST(Launches, HaveNumbers) {
  Module module = cantFail(Module::parse(counting));
  std::vector<uint32_t> first(16), second(16);
  std::vector<StreamLaunch> stream(2);
  for (unsigned i : {0u, 1u}) {
    stream[i].module = &module;
    stream[i].config = launchOn(i ? second : first);
    stream[i].config.gridId = 7;
  }
  cantFail(launchAll(stream));
  EXPECT_EQ(first, std::vector<uint32_t>(
                       {6, 0, 7, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(second, std::vector<uint32_t>(
                        {7, 0, 8, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}
