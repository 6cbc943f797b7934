//===- DriverTest.cpp - the runtime on the simulator -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Driver.h"

#include "SimulatorTest.h"

using namespace quack;
using namespace quack::sim;

namespace {
/// A context on the simulator, and 64 words in it that are all 7.
class Driver : public testing::Test {
protected:
  std::unique_ptr<cuda::Context> context;
  cuda::Buffer buffer;

  void SetUp() override {
    context = llvm::cantFail(cuda::Context::create(0, loadDriver));
    buffer = llvm::cantFail(context->allocate(256));
    llvm::cantFail(context->fill(buffer.address(), 7, 256));
  }

  void TearDown() override {
    setDriverOptions({Options()});
    setDriverRegions({});
  }

  /// Runs the body of a kernel whose argument is the address of word 16.
  /// Returns the error's text, if there was one.
  std::string run(const std::string &body, uint32_t threads = 1) {
    cuda::Module module = llvm::cantFail(context->loadModule(wrap(body)));
    cuda::Function function =
        llvm::cantFail(context->getFunction(module, "test"));
    uint64_t address = buffer.address() + 64;
    void *parameters[] = {&address};
    cuda::LaunchShape shape;
    shape.threads = threads;
    shape.sharedBytes = 1024;
    llvm::Error error = context->launch(function, shape, parameters);
    if (!error)
      error = context->synchronize();
    return error ? llvm::toString(std::move(error)) : "";
  }

  uint8_t byteAt(uint64_t offset) {
    uint8_t byte = 0;
    llvm::cantFail(context->copyToHost(&byte, buffer.address() + offset, 1));
    return byte;
  }
};
} // namespace

TEST_F(Driver, WholeAllocationsAreInBounds) {
  EXPECT_EQ(run("st.global.b32 [%rd0-64], 1; st.global.b32 [%rd0+188], 2;"),
            "");
  EXPECT_EQ(byteAt(0), 1);
  EXPECT_EQ(byteAt(252), 2);
  EXPECT_NE(run("st.global.b32 [%rd0+192], 1;").find("out-of-bounds"),
            std::string::npos);
}

TEST_F(Driver, GuardsAroundARegionAreOutOfBounds) {
  setDriverRegions({{buffer.address() + 64, 128}});
  EXPECT_EQ(run("st.global.b32 [%rd0], 1; ld.global.b32 %r2, [%rd0+124];"), "");
  for (const char *access :
       {"st.global.b32 [%rd0-4], 1;", "st.global.b32 [%rd0+128], 1;",
        "ld.global.b32 %r2, [%rd0-4];", "ld.global.b32 %r2, [%rd0+128];"}) {
    std::string text = run(access);
    EXPECT_NE(text.find("out-of-bounds"), std::string::npos) << access << text;
    EXPECT_NE(text.find("line 10"), std::string::npos) << text;
  }
  EXPECT_EQ(byteAt(60), 7);
  EXPECT_EQ(byteAt(192), 7);
}

TEST_F(Driver, RunsUnderEachSchedule) {
  setDriverOptions(
      llvm::cantFail(parseSchedules("eager,lazy,random:1-3", Options())));
  EXPECT_EQ(run("ld.global.b32 %r2, [%rd0]; add.u32 %r2, %r2, 1;"
                "st.global.b32 [%rd0], %r2;"),
            "");
  EXPECT_EQ(byteAt(64), 8);
  EXPECT_EQ(lastReport().schedule, "random:3");
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(Driver, AGraphDoesNothingUntilItIsReplayed) {
  cuda::Graph graph = llvm::cantFail(context->capture([&]() -> llvm::Error {
    llvm::cantFail(context->fill(buffer.address(), 1, 16));
    // Takes what the fill before it has written.
    return context->copyOnDevice(buffer.address() + 32, buffer.address(), 16);
  }));
  EXPECT_EQ(byteAt(0), 7);
  for (int replay = 0; replay < 2; ++replay) {
    llvm::cantFail(context->replay(graph));
    EXPECT_EQ(byteAt(0), 1);
    EXPECT_EQ(byteAt(47), 1);
    EXPECT_EQ(byteAt(48), 7);
    llvm::cantFail(context->fill(buffer.address(), 7, 256));
  }
}

TEST_F(Driver, AGraphLaunchesKernels) {
  cuda::Module module = llvm::cantFail(context->loadModule(
      wrap("ld.global.b32 %r1, [%rd0]; add.u32 %r1, %r1, 1; "
           "st.global.b32 [%rd0], %r1;")));
  cuda::Function function =
      llvm::cantFail(context->getFunction(module, "test"));
  llvm::cantFail(context->fill(buffer.address(), 0, 256));
  auto launch = [&]() -> llvm::Error {
    uint64_t address = buffer.address() + 64;
    void *parameters[] = {&address};
    llvm::Error error = context->launch(function, {}, parameters);
    address = 0; // the graph has a copy
    return error;
  };
  cuda::Graph graph = llvm::cantFail(context->capture([&]() -> llvm::Error {
    llvm::cantFail(launch());
    return launch();
  }));
  EXPECT_EQ(byteAt(64), 0);
  llvm::cantFail(context->replay(graph));
  llvm::cantFail(context->replay(graph));
  EXPECT_EQ(byteAt(64), 4);
}

TEST_F(Driver, ACaptureEndsWithItsErrors) {
  auto textOf = [](llvm::Expected<cuda::Graph> graph) {
    return graph ? "" : llvm::toString(graph.takeError());
  };
  EXPECT_EQ(textOf(context->capture(
                [] { return llvm::createStringError("no more"); })),
            "no more");
  // Waiting for what is only noted is an error, and the capture is lost.
  EXPECT_NE(textOf(context->capture([&] {
              return context->synchronize();
            })).find("cuStreamQuery"),
            std::string::npos);
  EXPECT_NE(textOf(context->capture([&] {
              llvm::consumeError(context->synchronize());
              return llvm::Error::success();
            })).find("cuStreamEndCapture"),
            std::string::npos);
  llvm::cantFail(context->fill(buffer.address(), 9, 1));
  EXPECT_EQ(byteAt(0), 9);
}

TEST_F(Driver, OccupancyIsWhatThreadsAndSharedMemoryLeave) {
  cuda::Module module = llvm::cantFail(context->loadModule(wrap("ret;")));
  cuda::Function function =
      llvm::cantFail(context->getFunction(module, "test"));
  auto occupancy = [&](int64_t threads, int64_t cluster, int64_t sharedBytes) {
    cuda::LaunchShape shape;
    shape.threads = threads;
    shape.cluster = cluster;
    shape.sharedBytes = sharedBytes;
    return llvm::cantFail(context->getOccupancy(function, shape));
  };
  EXPECT_EQ(occupancy(32, 1, 0).ctasPerMultiprocessor, 32);
  EXPECT_EQ(occupancy(512, 1, 0).ctasPerMultiprocessor, 4);
  EXPECT_EQ(occupancy(32, 1, 100 << 10).ctasPerMultiprocessor, 2);
  EXPECT_EQ(occupancy(512, 1, 0).clusters, 0);
  // One CTA a multiprocessor: 8 GPCs have room for one cluster of 16 each.
  EXPECT_EQ(occupancy(1024, 16, 200 << 10).clusters, 8);
}
