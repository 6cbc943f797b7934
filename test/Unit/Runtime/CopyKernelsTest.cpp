//===- CopyKernelsTest.cpp - the yardstick's PTX ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas takes the copy kernels, where there is a ptxas, and they keep what they
// load in registers.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/CopyKernels.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

TEST(CopyKernelsTest, everyKernelIsInTheModule) {
  std::string ptx = getCopyKernelsPTX();
  EXPECT_EQ(getCopyKernels().size(), 9u);
  for (const CopyKernel &kernel : getCopyKernels())
    EXPECT_TRUE(StringRef(ptx).contains(".entry " + kernel.name + "("))
        << kernel.name;
}

TEST(CopyKernelsTest, assembles) {
  ErrorOr<std::string> ptxas = sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (!ptxas)
    GTEST_SKIP() << "there is no ptxas";
  SmallString<128> source, log;
  int descriptor;
  ASSERT_FALSE(
      sys::fs::createTemporaryFile("quack", "ptx", descriptor, source));
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << getCopyKernelsPTX();
  ASSERT_FALSE(sys::fs::createTemporaryFile("quack", "log", log));
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  int code = sys::ExecuteAndWait(
      *ptxas, {*ptxas, "-arch=sm_90", "-v", source, "-o", "/dev/null"},
      std::nullopt, redirects);
  auto output = MemoryBuffer::getFile(log);
  ASSERT_TRUE(static_cast<bool>(output));
  EXPECT_EQ(code, 0) << (*output)->getBuffer().str();
  EXPECT_EQ(
      (*output)->getBuffer().count("0 bytes stack frame, 0 bytes spill stores"),
      getCopyKernels().size());
  sys::fs::remove(source);
  sys::fs::remove(log);
}
