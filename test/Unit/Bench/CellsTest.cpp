//===- test/Unit/Bench/CellsTest.cpp - grids of cells -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, shards and operands of the cells that a command line asks for.
//
//===----------------------------------------------------------------------===//

#include "quack-bench/Cells.h"

#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace quack;
using namespace quack::bench;

static CommandLine usual() {
  CommandLine line;
  line.kernels = {"softmax", "rms_norm", "layer_norm", "cross_entropy"};
  line.kernelsFolder = QUACK_KERNELS;
  line.dtypes = {"bf16", "f32"};
  for (int64_t columns = 256; columns <= 262144; columns *= 2)
    line.columns.push_back(columns);
  return line;
}

TEST(Cells, LongRowsAreFewer) {
  CommandLine line;
  EXPECT_EQ(chooseRows(line, 256, 2), 32768);
  EXPECT_EQ(chooseRows(line, 16384, 4), 32768);
  EXPECT_EQ(chooseRows(line, 32768, 4), 16384);
  EXPECT_EQ(chooseRows(line, 262144, 2), 2048);
  EXPECT_EQ(chooseRows(line, 1 << 30, 2), 1);
  line.bytes = 1 << 20;
  EXPECT_EQ(chooseRows(line, 256, 2), 2048);
  EXPECT_EQ(chooseRows(line, 256, 4), 1024);
  EXPECT_EQ(chooseRows(line, 1 << 20, 4), 1);
  line.bytes.reset();
  line.rows = 7;
  EXPECT_EQ(chooseRows(line, 256, 2), 7);
}

TEST(Cells, TheUsualGrid) {
  std::vector<CellJob> cells = cantFail(makeCells(usual()));
  EXPECT_EQ(cells.size(), 88u);
  EXPECT_EQ(cells[0].cell.str(), "softmax bf16 N=256 M=32768");
  EXPECT_EQ(cells[0].job.storage, "bf16");
  EXPECT_EQ(cells[1].cell.op, "rms_norm");
  EXPECT_EQ(cells[1].job.storage, "bf16,weight:bf16");
  EXPECT_EQ(cells.back().cell.str(), "cross_entropy f32 N=262144 M=2048");
  EXPECT_TRUE(cells[0].isReplayed());
  EXPECT_EQ(cells[0].replayed().str(), "softmax bf16 N=256 M=32768 replay");
  EXPECT_FALSE(cells.back().isReplayed());
}

TEST(Cells, OptionalOperandsHaveTheRowsTypeOrTheirOwn) {
  CommandLine line = usual();
  line.operands = "weight,rstd:f32";
  EXPECT_EQ(cantFail(makeCells(line))[1].job.storage,
            "bf16,weight:bf16,rstd:f32");
  line.operands = "";
  EXPECT_EQ(cantFail(makeCells(line))[1].job.storage, "bf16");
}

TEST(Cells, ShardsHaveEachCellOnce) {
  CommandLine line = usual();
  std::multiset<std::string> seen;
  for (line.shard = {1, 3}; line.shard.number <= 3; ++line.shard.number) {
    std::vector<CellJob> cells = cantFail(makeCells(line));
    EXPECT_GE(cells.size(), 29u);
    for (const CellJob &cell : cells)
      seen.insert(cell.cell.str());
  }
  EXPECT_EQ(seen.size(), 88u);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 88u);
}
