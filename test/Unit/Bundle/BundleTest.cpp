//===- BundleTest.cpp - bundles of what no compiler makes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Bundle/Bundle.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

static KernelMetadata makeKernel(std::string name) {
  KernelMetadata kernel;
  kernel.name = std::move(name);
  kernel.columns = 64;
  kernel.threads = 32;
  kernel.operands = {{"x", "in", "row", "f32", 16},
                     {"y", "out", "row", "f32", 16}};
  return kernel;
}

static BundleParts makeParts(std::vector<KernelMetadata> kernels) {
  BundleParts parts;
  parts.ptx = ".version 8.3\n";
  parts.metadata.chip = "sm_90";
  parts.metadata.kernels = std::move(kernels);
  return parts;
}

/// Returns the contents of the file whose name ends so, or what was wrong.
static std::string make(const BundleParts &parts, StringRef suffix) {
  Expected<std::vector<BundleFile>> files = makeBundle(parts);
  if (!files)
    return toString(files.takeError());
  for (const BundleFile &file : *files)
    if (StringRef(file.name).ends_with(suffix))
      return file.contents;
  return "no such file";
}

TEST(Bundle, RefusesLinksThatLeadNowhere) {
  std::vector<KernelMetadata> kernels = {makeKernel("a"), makeKernel("b"),
                                         makeKernel("c")};
  kernels[0].next = "d";
  EXPECT_EQ(
      make(makeParts(kernels), ".c"),
      "kernel 'a': the kernel 'd', which is its next, is not in the module");
  kernels[0].next = "";
  kernels[0].otherwise = "b";
  kernels[1].otherwise = "a";
  EXPECT_EQ(
      make(makeParts(kernels), ".c"),
      "kernel 'a': those that it names as otherwise go round in a circle");
  kernels[1].otherwise = "b";
  EXPECT_EQ(
      make(makeParts({kernels[1]}), ".c"),
      "kernel 'b': those that it names as otherwise go round in a circle");
  kernels[1].otherwise = "";
  kernels[1].operands[1].type = "bf16";
  EXPECT_EQ(make(makeParts(kernels), ".c"),
            "kernel 'a': the kernel 'b', which is its otherwise, takes other "
            "operands");
}

TEST(Bundle, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(make(makeParts({}), ".c"), "the module has no kernel to launch");
  KernelMetadata kernel = makeKernel("a");
  kernel.operands[0].type = "f4";
  EXPECT_EQ(make(makeParts({kernel}), ".c"),
            "kernel 'a': operand 'x' has the unknown type f4");
  BundleParts parts = makeParts({makeKernel("a")});
  parts.name = "2a";
  EXPECT_EQ(make(parts, ".c"),
            "the name of a bundle must be a C identifier, got '2a'");
}

TEST(Bundle, NamesAreNotTakenTwice) {
  std::string header =
      make(makeParts({makeKernel("a$"), makeKernel("a_")}), ".h");
  EXPECT_NE(header.find("int a__64_f32_launch("), std::string::npos);
  EXPECT_NE(header.find("int a__64_f32__launch("), std::string::npos);
  std::string source =
      make(makeParts({makeKernel("a$"), makeKernel("a_")}), ".c");
  EXPECT_NE(source.find("  kernel_a_,\n  kernel_a__,\n"), std::string::npos);
}

TEST(Bundle, AnyTextIsAString) {
  BundleParts parts = makeParts({makeKernel("a")});
  parts.ptx = "// \"?"
              "?=\\\n\n\tret;\n" +
              std::string(5000, 'x');
  std::string source = make(parts, ".c");
  EXPECT_NE(source.find("    \"// \\\"\\?\\?=\\\\\\n\",\n    \"\\n\",\n    "
                        "\"\\tret;\\n\",\n"),
            std::string::npos);
  EXPECT_NE(source.find("\"" + std::string(4095, 'x') + "\",\n"),
            std::string::npos);
  EXPECT_NE(source.find("enum { ptx_line_count = 5 };"), std::string::npos);
  EXPECT_EQ(make(parts, ".ptx"), parts.ptx);
}

TEST(Bundle, ACubinIsBytes) {
  BundleParts parts = makeParts({makeKernel("a")});
  EXPECT_EQ(make(parts, ".cubin"), "no such file");
  EXPECT_EQ(make(parts, ".c").find("cubin"), std::string::npos);
  parts.cubin = std::string("\177ELF\0\377", 6);
  EXPECT_NE(
      make(parts, ".c")
          .find("cubin[cubin_bytes] = {\n    127, 69, 76, 70, 0, 255,\n};"),
      std::string::npos);
  EXPECT_EQ(make(parts, ".cubin"), parts.cubin);
}
