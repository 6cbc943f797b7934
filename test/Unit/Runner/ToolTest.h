//===- test/Unit/Runner/ToolTest.h - a tool, on a fake driver ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a tool with FakeCuda.cpp in libcuda's place, in a folder with kernels
// for it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_RUNNER_TOOLTEST_H
#define QUACK_TEST_UNIT_RUNNER_TOOLTEST_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace quack {

/// What a run of the tool gave.
struct Outcome {
  int code = -1;
  std::string output; ///< stdout and stderr

  bool says(llvm::StringRef text) const {
    return llvm::StringRef(output).contains(text);
  }
};

/// A folder, deleted at the end.
class ToolTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("quack-tool", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << text;
    ASSERT_FALSE(error);
  }
  /// Writes a kernel @<name>_rows, which copies rows of `columns` columns.
  void writeKernel(const std::string &name, const std::string &columns) const {
    write(name + ".mlir",
          "quack.kernel @" + name + "_rows(\n  %x: memref<?x" + columns +
              "xf32> in row, %y: memref<?x" + columns +
              "xf32> out row) {\n  %v = quack.load %x : memref<?x" + columns +
              "xf32> -> tensor<" + columns +
              "xf32>\n  quack.store %v, %y : tensor<" + columns +
              "xf32>, memref<?x" + columns + "xf32>\n}\n");
  }
  std::string read(llvm::StringRef name) const {
    auto buffer = llvm::MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "none";
  }

  /// Runs the tool; `environment` is added to the fake driver's path.
  Outcome runTool(llvm::StringRef tool, std::vector<std::string> arguments,
                  std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), tool.str());
    environment.push_back("LD_LIBRARY_PATH=" QUACK_FAKE_CUDA);
    std::vector<llvm::StringRef> argumentRefs(arguments.begin(),
                                              arguments.end());
    std::vector<llvm::StringRef> environmentRefs(environment.begin(),
                                                 environment.end());
    // What an earlier run said is not overwritten, but for its beginning.
    std::string log = path("log");
    llvm::sys::fs::remove(log);
    std::optional<llvm::StringRef> redirects[] = {std::nullopt, log, log};
    Outcome result;
    result.code = llvm::sys::ExecuteAndWait(
        tool, argumentRefs, llvm::ArrayRef<llvm::StringRef>(environmentRefs),
        redirects, /*SecondsToWait=*/120);
    result.output = read("log");
    return result;
  }

  llvm::SmallString<128> folder;
};

} // namespace quack

#define EXPECT_RUN(run, expectedCode, text)                                    \
  do {                                                                         \
    Outcome outcome = run;                                                     \
    EXPECT_EQ(outcome.code, expectedCode) << outcome.output;                   \
    EXPECT_TRUE(outcome.says(text)) << outcome.output;                         \
  } while (false)

#endif // QUACK_TEST_UNIT_RUNNER_TOOLTEST_H
