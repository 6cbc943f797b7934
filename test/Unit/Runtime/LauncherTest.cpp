//===- LauncherTest.cpp - what a launch is refused for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch shapes, guards and packed parameters, none of which takes a GPU; and
// the error where there is none.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Launcher.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace llvm;
using namespace quack;

static KernelMetadata sample() {
  KernelMetadata kernel;
  kernel.name = "softmax";
  kernel.columns = 64;
  kernel.threads = 128;
  kernel.cluster = 2;
  kernel.rowsPerTile = 4;
  kernel.sharedBytes = 512;
  kernel.operands = {{"x", "in", "row", "bf16", 16},
                     {"eps", "in", "value", "f32", 1},
                     {"t", "in", "scalar", "i64", 16},
                     {"k", "in", "value", "i32", 1},
                     {"y", "out", "row", "bf16", 16}};
  return kernel;
}

static std::vector<LaunchArgument> goodArguments() {
  return {{0x1000, 64, 0},
          {0, 0, 1.5},
          {0x2010, 1, 0},
          {0, 0, -3},
          {0x3000, 72, 0}};
}

TEST(LauncherTest, shapes) {
  struct Row {
    int64_t rows, grid;
  };
  const Row table[] = {{0, 0}, {1, 2}, {4, 2}, {5, 4}, {262148, 131074}};
  for (const Row &row : table) {
    Expected<cuda::LaunchShape> shape = getLaunchShape(sample(), row.rows);
    ASSERT_TRUE(static_cast<bool>(shape));
    EXPECT_EQ(shape->grid, row.grid) << row.rows;
    EXPECT_EQ(shape->threads, 128);
  }
  EXPECT_EQ(
      describeLaunch(sample(), *getLaunchShape(sample(), 5)),
      "kernel 'softmax', grid (4, 1, 1), block (128, 1, 1), cluster 2, 512 "
      "bytes of dynamic shared memory");
}

TEST(LauncherTest, refusesGridsThatAreTooLarge) {
  const int64_t most = ((int64_t(1) << 31) - 1) / 2 * 4;
  EXPECT_TRUE(static_cast<bool>(getLaunchShape(sample(), most)));
  EXPECT_EQ(
      toString(getLaunchShape(sample(), most + 1).takeError()),
      "kernel 'softmax': 4294967293 rows need more than the 2147483647 CTAs of "
      "a grid (4 rows a tile, clusters of 2)");
  EXPECT_EQ(
      toString(getLaunchShape(sample(), -1).takeError()),
      "kernel 'softmax': the number of rows must not be negative, got -1");
}

TEST(LauncherTest, rowsThatClustersShare) {
  KernelMetadata kernel = sample();
  kernel.split = 8;
  kernel.workspaceBytes = 64;
  EXPECT_EQ(getLaunchShape(kernel, 5)->grid, 32);
  EXPECT_EQ(*getWorkspaceBytes(kernel, 5), 320);
  EXPECT_EQ(*getWorkspaceBytes(sample(), 5), 0);
  EXPECT_EQ(
      toString(getLaunchShape(kernel, int64_t(1) << 40).takeError()),
      "kernel 'softmax': 1099511627776 rows need more than the 2147483647 CTAs "
      "of a grid (4 rows a tile, 8 clusters a row, clusters of 2)");
  EXPECT_EQ(
      toString(getWorkspaceBytes(kernel, int64_t(1) << 60).takeError()),
      "1152921504606846976 rows of 64 bytes of workspace are too many for any "
      "memory");
  // The workspace comes last.
  ParameterPack pack(kernel, goodArguments(), 5, /*workspace=*/0x4000);
  EXPECT_EQ(pack.words().size(), 10u);
  EXPECT_EQ(pack.words().back(), 0x4000u);
}

TEST(LauncherTest, sumsOverRowsAreThereForNoRows) {
  KernelMetadata kernel = sample();
  kernel.operands[2] = {"s", "out", "columns", "f32", 4};
  kernel.partials = 12;
  kernel.ctas = 24;
  kernel.fixedWorkspaceBytes = 12 * 256;
  for (int64_t rows : {0, 1, 1000000}) {
    EXPECT_EQ(getLaunchShape(kernel, rows)->grid, 24) << rows;
    EXPECT_EQ(*getWorkspaceBytes(kernel, rows), 3072) << rows;
  }
  EXPECT_EQ(ParameterPack(kernel, goodArguments(), 5, /*workspace=*/0x4000).words().back(),
            0x4000u);
  // Of no rows only the sums are stored.
  std::vector<LaunchArgument> odd = goodArguments();
  odd[0].pointer = 0x1002;
  EXPECT_EQ(violatedGuard(kernel, odd, 0), "");
  EXPECT_NE(violatedGuard(kernel, odd, 1), "");
  odd[2].pointer = 0x2002;
  EXPECT_EQ(violatedGuard(kernel, odd, 0),
            "the address of operand 's' must be a multiple of 4 bytes, got 0x2002");
}

TEST(LauncherTest, fewRowsTakeAnotherVariant) {
  KernelMetadata many = sample(), few = sample();
  many.leastRows = 17;
  few.name = "softmax_few";
  const KernelMetadata *variants[] = {&many, &few};
  EXPECT_EQ((*chooseVariant(variants, goodArguments(), 17))->name, "softmax");
  EXPECT_EQ((*chooseVariant(variants, goodArguments(), 16))->name, "softmax_few");
  many.otherwise = "softmax_few";
  EXPECT_EQ(toString(checkGuards(many, goodArguments(), 16)),
            "kernel 'softmax': M must be at least 17, got 16");
}

TEST(LauncherTest, namesAWayOutWhereNoVariantIsLeft) {
  KernelMetadata many = sample();
  many.leastRows = 17;
  const KernelMetadata *variants[] = {&many};
  EXPECT_EQ(toString(chooseVariant(variants, goodArguments(), 16).takeError()),
            "kernel 'softmax': M must be at least 17, got 16; without the pin "
            "'least_rows' the kernel takes any");
  std::vector<LaunchArgument> odd = goodArguments();
  odd[0].pointer = 0x1002;
  EXPECT_EQ(
      toString(chooseVariant(variants, odd, 17).takeError()),
      "kernel 'softmax': the address of operand 'x' must be a multiple of "
      "16 bytes, got 0x1002; the pin 'alignment = element' makes a kernel "
      "that takes any multiple of 2");
}

// Whatever else is said of it: nothing is launched.
TEST(LauncherTest, noRowsViolateNoGuard) {
  KernelMetadata many = sample();
  many.leastRows = 17;
  std::vector<LaunchArgument> odd = goodArguments();
  odd[0] = {0x1001, 3, 0};
  const KernelMetadata *variants[] = {&many};
  EXPECT_EQ((*chooseVariant(variants, odd, 0))->name, "softmax");
  EXPECT_EQ(toString(checkGuards(many, {}, 0)),
            "kernel 'softmax': takes 5 operands, got 0");
}

static std::string guardError(size_t index, LaunchArgument argument) {
  std::vector<LaunchArgument> arguments = goodArguments();
  arguments[index] = argument;
  KernelMetadata kernel = sample();
  kernel.otherwise = "softmax_anywhere";
  return toString(checkGuards(kernel, arguments, 1));
}

TEST(LauncherTest, guards) {
  EXPECT_EQ(toString(checkGuards(sample(), goodArguments(), 1)), "");
  EXPECT_EQ(
      guardError(0, {0x1008, 64, 0}),
      "kernel 'softmax': the address of operand 'x' must be a multiple of 16 "
      "bytes, got 0x1008");
  EXPECT_EQ(guardError(4, {0x3000, 65, 0}),
            "kernel 'softmax': the row stride of operand 'y' must be a "
            "multiple of 16 "
            "bytes, got 130 (65 elements of bf16)");
  EXPECT_EQ(
      guardError(2, {0x2004, 1, 0}),
      "kernel 'softmax': the address of operand 't' must be a multiple of 16 "
      "bytes, got 0x2004");
  // A stride of scalars has no demand, nor has a scalar an address.
  EXPECT_EQ(guardError(2, {0x2010, 3, 0}), "");
  EXPECT_EQ(guardError(1, {0x3, 3, 0}), "");
  EXPECT_EQ(toString(checkGuards(sample(), {}, 1)),
            "kernel 'softmax': takes 5 operands, got 0");
}

TEST(LauncherTest, packsParametersInTheOrderOfTheABI) {
  ParameterPack pack(sample(), goodArguments(), /*rows=*/7);
  float eps = 1.5f;
  uint32_t epsBits;
  std::memcpy(&epsBits, &eps, sizeof(eps));
  const std::vector<uint64_t> expected = {
      0x1000, 64, 0x2010, 1, 0x3000, 72, 7, epsBits, 0xfffffffd};
  EXPECT_EQ(pack.words().vec(), expected);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(*static_cast<uint64_t *>(pack.pointers()[i]), expected[i]);
}

TEST(LauncherTest, saysThatThereIsNoGPU) {
  Expected<std::unique_ptr<cuda::Context>> context = cuda::Context::create();
  if (context)
    GTEST_SKIP() << "this machine has a GPU: " << (*context)->properties().name;
  Error error = context.takeError();
  EXPECT_TRUE(error.isA<cuda::NoDeviceError>());
  EXPECT_EQ(toString(std::move(error)).rfind("no CUDA device: ", 0), 0u);
}
