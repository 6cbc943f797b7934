//===- quack/Layout/MemoryAccess.h - Cost of a warp access -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one load or store instruction of a warp asks of the memory system: the
// 32-byte sectors of global memory it touches, and the passes it takes over the
// banks of shared memory. The plan ranks layouts by these counts, and the
// simulator reports them of the program that was emitted. Invariant: the counts
// depend on the addresses only, not on what a cache may hold.
//
//===----------------------------------------------------------------------===//
//
// Global memory moves in sectors of 32 bytes, four to a cache line of 128. An
// access is as good as it can be when it touches no more sectors than its bytes
// fill:
//
//     a warp of float4 accesses (512 bytes)             sectors   least   lines
//     lane i at byte 16 * i                                  16      16       4
//     the same, 16 bytes off a sector boundary               17      16       5
//     lane i at byte 32 * i                                  32      16       8
//     lane i in row i, rows a kilobyte apart                 32      16      32
//
// Shared memory has 32 banks; successive 4-byte words lie in successive banks.
// A bank delivers one word in a pass, to any number of lanes; lanes that want
// different words of one bank wait for each other (CUDA C++ Programming Guide,
// "Compute Capability 5.x", section "Shared Memory", which 9.0 refers to). An
// 8-byte access is served half a warp at a time and a 16-byte access a quarter
// of a warp at a time, so that a phase never asks for more than 128 bytes (the
// same guide, on 64-bit and 128-bit accesses, "Compute Capability 2.x").
//
//     a warp of 4-byte accesses     wavefronts   conflicts
//     lane i at word i                       1           0
//     all lanes at word 0                    1           0   (a broadcast)
//     lane i at word 2 * i                   2           1
//     lane i at word 33 * i                  1           0   (the padding
//     trick) lane i at word 32 * i                 32          31
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LAYOUT_MEMORYACCESS_H
#define QUACK_LAYOUT_MEMORYACCESS_H

#include "quack/Layout/TVLayout.h"

#include "llvm/ADT/ArrayRef.h"

namespace quack {

/// The address of a lane that takes no part in an access.
inline constexpr int64_t inactiveLane = -1;

/// What an access of global memory touches.
struct GlobalAccessCost {
  /// The 32-byte sectors touched.
  int64_t sectors;
  /// The least number of sectors that could hold the same bytes.
  int64_t leastSectors;
  /// The 128-byte cache lines touched.
  int64_t lines;

  bool operator==(const GlobalAccessCost &other) const {
    return sectors == other.sectors && leastSectors == other.leastSectors &&
           lines == other.lines;
  }
};

/// What an access of shared memory costs.
struct SharedAccessCost {
  /// The groups of lanes served apart that have an active lane: at most 1 for a
  /// width of 4 bytes, 2 for 8, 4 for 16.
  int64_t phases;
  /// The passes over the banks: for each phase, the largest number of distinct
  /// words in one bank.
  int64_t wavefronts;
  /// The passes beyond one a phase.
  int64_t conflicts;

  bool operator==(const SharedAccessCost &other) const {
    return phases == other.phases && wavefronts == other.wavefronts &&
           conflicts == other.conflicts;
  }
};

/// The access that one warp makes to one piece of an operand's tile.
struct GlobalAccess {
  const TVLayout &layout;
  TileShape tile;
  /// The size of an element as stored.
  int64_t elementBytes;
  /// The elements that a lane accesses; divides layout.contiguousRun(tile).
  int64_t vectorElements;
  /// Which piece of a thread's values: those from piece * vectorElements on.
  int64_t piece = 0;
  int64_t warp = 0;
  int64_t cta = 0;
  /// A power of two that is known to divide the address of the
  /// tile's first element.
  int64_t baseAlignmentBytes = 16;
  /// The elements between the starts of two rows; 0 stands for tile.columns.
  int64_t rowStrideElements = 0;
};

/// Returns the counts for lanes that access `bytes` bytes each from `addresses`
/// on. Serves any addresses, aligned or not; inactive lanes touch nothing.
GlobalAccessCost countSectors(llvm::ArrayRef<int64_t> addresses, int64_t bytes);

/// Returns the byte addresses of the lanes of `access`, for a tile whose first
/// element is at address `base`.
llvm::SmallVector<int64_t, 32> laneAddresses(const GlobalAccess &access,
                                             int64_t base);

/// Returns the counts for `access`, at the worst base address (the one with
/// the most sectors) that its alignment allows. The layout must be legal for
/// the tile.
GlobalAccessCost globalAccessCost(const GlobalAccess &access);

/// Returns the counts for up to 32 lanes that access `width` bytes (4, 8 or 16)
/// each; active addresses are multiples of the width. Phases of a wide load are
/// one, two by two, where each active lane of the warp asks for the same as its
/// neighbour (lane ^ 1), or each for the same as the lane next but one (lane ^
/// 2). The first is measured on an H200; of the second, nothing that was
/// measured tells.
SharedAccessCost sharedAccessCost(llvm::ArrayRef<int64_t> addresses,
                                  int64_t width, bool isLoad = false);

} // namespace quack

#endif // QUACK_LAYOUT_MEMORYACCESS_H
