//===- MemoryAccessTest.cpp - Truth tables of access costs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors and bank conflicts of warp accesses whose counts are known by hand,
// the tables of MemoryAccess.h among them, and brute force over bytes for
// random addresses. Invariant: expected values never come from the code under
// test.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/MemoryAccess.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace quack;

/// Returns the addresses `base + lane * stride` of a warp.
static std::vector<int64_t> strided(int64_t stride, int64_t base = 0,
                                    int64_t lanes = warpSize) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < lanes; ++lane)
    addresses.push_back(base + lane * stride);
  return addresses;
}

TEST(MemoryAccessTest, countSectorsTable) {
  struct Row {
    const char *name;
    std::vector<int64_t> addresses;
    int64_t bytes;
    GlobalAccessCost cost;
  };
  const Row table[] = {
      {"16 bytes a lane", strided(16), 16, {16, 16, 4}},
      {"the same, off a sector", strided(16, 16), 16, {17, 16, 5}},
      {"the same, a sector on", strided(16, 32), 16, {16, 16, 5}},
      {"every other piece", strided(32), 16, {32, 16, 8}},
      {"a row a lane", strided(1024), 16, {32, 16, 32}},
      {"4 bytes a lane", strided(4), 4, {4, 4, 1}},
      {"2 bytes a lane", strided(2), 2, {2, 2, 1}},
      {"4 bytes, off by 4", strided(4, 4), 4, {5, 4, 2}},
      {"one address", strided(0), 4, {1, 1, 1}},
      {"backwards", strided(-16, 496), 16, {16, 16, 4}},
      {"overlapping lanes", strided(4), 16, {5, 5, 2}},
      {"a lane across sectors", {24}, 16, {2, 1, 1}},
      {"a lane across a line", {120}, 16, {2, 1, 2}},
      {"one lane", {inactiveLane, 64, inactiveLane}, 4, {1, 1, 1}},
      {"no lane", {inactiveLane, inactiveLane}, 4, {0, 0, 0}},
  };
  for (const Row &row : table) {
    GlobalAccessCost cost = countSectors(row.addresses, row.bytes);
    EXPECT_EQ(cost, row.cost) << row.name << ": " << cost.sectors << ", "
                              << cost.leastSectors << ", " << cost.lines;
  }
}

TEST(MemoryAccessTest, countSectorsIsTheCountOfBytes) {
  std::mt19937 rng(7);
  for (int i = 0; i < 300; ++i) {
    int64_t bytes = 1 + rng() % 16;
    std::vector<int64_t> addresses;
    std::set<int64_t> touched, sectors, lines;
    for (int lane = 0; lane < 32; ++lane) {
      int64_t address = rng() % 700;
      addresses.push_back(rng() % 5 ? address : inactiveLane);
      for (int64_t b = 0; addresses.back() >= 0 && b < bytes; ++b) {
        touched.insert(address + b);
        sectors.insert((address + b) / 32);
        lines.insert((address + b) / 128);
      }
    }
    GlobalAccessCost expected = {int64_t(sectors.size()),
                                 int64_t(touched.size() + 31) / 32,
                                 int64_t(lines.size())};
    EXPECT_EQ(countSectors(addresses, bytes), expected);
  }
}

TEST(MemoryAccessTest, laneAddressesFollowTheRowStride) {
  TVLayout layout({{2, 512}}, {{2, 1024}}, {{8, 8}, {4, 128}},
                  {{8, 1}, {2, 64}});
  TileShape tile = {16, 128};
  GlobalAccess access = {layout, tile, /*elementBytes=*/2,
                         /*vectorElements=*/8};
  access.piece = 1;
  access.warp = 1;
  access.cta = 1;
  access.rowStrideElements = 136;
  auto addresses = laneAddresses(access, /*base=*/4096);
  ASSERT_EQ(addresses.size(), 32u);
  // CTA 1 starts at row 4, warp 1 adds 8 rows, piece 1 adds 64 columns.
  EXPECT_EQ(addresses[0], 4096 + 2 * (12 * 136 + 64));
  EXPECT_EQ(addresses[1], 4096 + 2 * (12 * 136 + 64 + 8));
  EXPECT_EQ(addresses[8], 4096 + 2 * (13 * 136 + 64));
  EXPECT_EQ(addresses[31], 4096 + 2 * (15 * 136 + 64 + 56));
}

TEST(MemoryAccessTest, globalAccessCostTable) {
  const TVLayout row({}, {}, {{32, 4}}, {{4, 1}, {2, 128}});
  const TVLayout rows({}, {}, {{8, 8}, {4, 128}}, {{8, 1}, {2, 64}});
  const TVLayout laneRows({}, {}, {{32, 32}}, {{32, 1}});
  const TVLayout weight({}, {}, {{8, 4}, {4, 0}}, {{4, 1}});
  struct Row {
    const char *name;
    GlobalAccess access;
    int64_t alignment;
    int64_t rowStride;
    GlobalAccessCost cost;
  };
  const Row table[] = {
      {"f32, line aligned", {row, {1, 256}, 4, 4}, 128, 0, {16, 16, 4}},
      {"f32, 16-byte aligned", {row, {1, 256}, 4, 4}, 16, 0, {17, 16, 5}},
      {"f32, element aligned", {row, {1, 256}, 4, 4}, 4, 0, {17, 16, 5}},
      {"f32, pieces of 8 bytes", {row, {1, 256}, 4, 2}, 128, 0, {16, 8, 4}},
      {"bf16, 8 bytes a lane", {row, {1, 256}, 2, 4}, 32, 0, {8, 8, 3}},
      {"bf16, four rows", {rows, {4, 128}, 2, 8}, 128, 0, {16, 16, 4}},
      // A row of 136 elements is 272 bytes: every other row starts mid-sector.
      {"bf16, padded rows", {rows, {4, 128}, 2, 8}, 128, 136, {18, 16, 7}},
      {"a row a lane", {laneRows, {32, 32}, 4, 4}, 128, 0, {32, 16, 32}},
      {"a row a lane, scalar", {laneRows, {32, 32}, 4, 1}, 128, 0, {32, 4, 32}},
      {"copies share sectors", {weight, {1, 32}, 4, 4}, 128, 0, {4, 4, 1}},
  };
  for (const Row &entry : table) {
    GlobalAccess access = entry.access;
    access.baseAlignmentBytes = entry.alignment;
    access.rowStrideElements = entry.rowStride;
    GlobalAccessCost cost = globalAccessCost(access);
    EXPECT_EQ(cost, entry.cost) << entry.name << ": " << cost.sectors << ", "
                                << cost.leastSectors << ", " << cost.lines;
  }
}

TEST(MemoryAccessTest, sharedAccessCostTable) {
  struct Row {
    const char *name;
    std::vector<int64_t> addresses;
    int64_t width;
    SharedAccessCost cost;
  };
  const Row table[] = {
      {"word i", strided(4), 4, {1, 1, 0}},
      {"a broadcast", strided(0), 4, {1, 1, 0}},
      {"word 2i", strided(8), 4, {1, 2, 1}},
      {"word 3i, odd", strided(12), 4, {1, 1, 0}},
      {"word 32i", strided(128), 4, {1, 32, 31}},
      {"word 33i", strided(132), 4, {1, 1, 0}},
      {"16 lanes at word 32i", strided(128, 0, 16), 4, {1, 16, 15}},
      {"8 bytes at 8i", strided(8), 8, {2, 2, 0}},
      {"8 bytes at 16i", strided(16), 8, {2, 4, 2}},
      {"8 bytes, a broadcast", strided(0), 8, {2, 2, 0}},
      {"16 bytes at 16i", strided(16), 16, {4, 4, 0}},
      {"16 bytes at 32i", strided(32), 16, {4, 8, 4}},
      {"16 bytes at 128i", strided(128), 16, {4, 32, 28}},
      {"16 bytes at 144i", strided(144), 16, {4, 4, 0}},
      {"16 bytes, a broadcast", strided(0), 16, {4, 4, 0}},
      {"16 bytes, one quarter", strided(16, 0, 8), 16, {1, 1, 0}},
      {"no lane", {inactiveLane}, 4, {0, 0, 0}},
  };
  for (const Row &row : table) {
    SharedAccessCost cost = sharedAccessCost(row.addresses, row.width);
    EXPECT_EQ(cost, row.cost) << row.name << ": " << cost.phases << ", "
                              << cost.wavefronts << ", " << cost.conflicts;
  }
}

TEST(MemoryAccessTest, lanesOfDifferentPhasesDoNotConflict) {
  // Lanes 0 and 16 want different words of bank 0.
  std::vector<int64_t> addresses(32, inactiveLane);
  addresses[0] = 0;
  addresses[16] = 128;
  EXPECT_EQ(sharedAccessCost(addresses, 4), (SharedAccessCost{1, 2, 1}));
  EXPECT_EQ(sharedAccessCost(addresses, 8), (SharedAccessCost{2, 2, 0}));
  EXPECT_EQ(sharedAccessCost(addresses, 16), (SharedAccessCost{2, 2, 0}));
}

/// What ncu counts on an H200 for loads of 8 and 16 bytes at some places.
TEST(MemoryAccessTest, wideLoadsOfPairsAreJoined) {
  struct Row {
    const char *name;
    int64_t (*place)(int64_t lane);
    int64_t of8, of16;
  };
  const Row table[] = {
      {"each its own", [](int64_t i) { return i; }, 2, 4},
      {"pairs", [](int64_t i) { return i / 2; }, 1, 2},
      {"pairs, a lane in four idle",
       [](int64_t i) { return i % 4 == 3 ? inactiveLane : i / 2; }, 1, 2},
      {"pairs in the lower half", [](int64_t i) { return i < 16 ? i / 2 : i; },
       2, 4},
      {"odd pairs", [](int64_t i) { return (i + 1) / 2; }, 2, 4},
      {"pairs in banks that conflict",
       [](int64_t i) { return i / 2 * 16 % 256; }, 16, 16},
  };
  for (const Row &row : table)
    for (int64_t width : {8, 16}) {
      std::vector<int64_t> addresses;
      for (int64_t lane = 0; lane < 32; ++lane) {
        int64_t place = row.place(lane);
        addresses.push_back(place == inactiveLane ? place : place * width);
      }
      EXPECT_EQ(sharedAccessCost(addresses, width, true).wavefronts,
                width == 8 ? row.of8 : row.of16)
          << row.name << ", " << width << " bytes";
    }
}

TEST(MemoryAccessTest, wavefrontsAreTheCountOfWords) {
  std::mt19937 rng(11);
  for (int i = 0; i < 300; ++i) {
    int64_t width = 4 << rng() % 3;
    std::vector<int64_t> addresses;
    std::map<int64_t, std::map<int64_t, std::set<int64_t>>> banksOfPhase;
    for (int lane = 0; lane < 32; ++lane) {
      int64_t address = rng() % 128 * width;
      addresses.push_back(rng() % 4 ? address : inactiveLane);
      for (int64_t b = 0; addresses.back() >= 0 && b < width; ++b) {
        int64_t word = (address + b) / 4;
        banksOfPhase[lane * width / 128][word % 32].insert(word);
      }
    }
    int64_t wavefronts = 0;
    for (const auto &[phase, banks] : banksOfPhase) {
      size_t most = 0;
      for (const auto &[bank, words] : banks)
        most = std::max(most, words.size());
      wavefronts += most;
    }
    int64_t phases = banksOfPhase.size();
    EXPECT_EQ(sharedAccessCost(addresses, width),
              (SharedAccessCost{phases, wavefronts, wavefronts - phases}));
  }
}
