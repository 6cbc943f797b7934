//===- LibraryTest.cpp - the ready-made kernels ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in the binary is what is in the files.
//
//===----------------------------------------------------------------------===//

#include "quack/Kernels/Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

static std::string errorOf(StringRef name) {
  return toString(findLibraryKernel(name).takeError());
}

TEST(LibraryTest, hasEachFile) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator file(QUACK_SOURCE "/lib/Kernels", error), end; file != end;
       file.increment(error)) {
    if (sys::path::extension(file->path()) != ".mlir")
      continue;
    names.push_back(sys::path::stem(file->path()).str());
    Expected<StringRef> text = findLibraryKernel(names.back());
    ASSERT_TRUE(bool(text)) << toString(text.takeError());
    auto bytes = MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(bytes));
    EXPECT_EQ(*text, (*bytes)->getBuffer()) << names.back();
    EXPECT_NE(text->find("quack.kernel @" + names.back() + "("), StringRef::npos)
        << names.back();
  }
  EXPECT_GT(names.size(), 40u);
  llvm::sort(names);
  std::vector<std::string> listed;
  for (const LibraryKernel &kernel : libraryKernels())
    listed.push_back(kernel.name.str());
  EXPECT_EQ(names, listed);
}

TEST(LibraryTest, suggestsNames) {
  EXPECT_EQ(errorOf("sofmax"), "there is no library kernel 'sofmax': did you mean 'softmax'?");
  EXPECT_EQ(errorOf("layernorm"),
            "there is no library kernel 'layernorm': did you mean 'layer_norm'?");
  EXPECT_EQ(errorOf("softmax_backwards"),
            "there is no library kernel 'softmax_backwards': did you mean 'softmax_backward'?");
  std::string error = errorOf("convolution");
  EXPECT_TRUE(StringRef(error).starts_with(
      "there is no library kernel 'convolution': there are all, amax, any, "))
      << error;
  EXPECT_TRUE(StringRef(error).ends_with(", topk_softmax, var")) << error;
  EXPECT_NE(errorOf(""), "");
}
