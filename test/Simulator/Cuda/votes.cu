//===- Cuda/votes.cu - votes, matches, reductions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Votes, matches and reductions of a warp, of whole warps and of parts.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void votes(const unsigned *in, unsigned *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32, value = in[index], result = 0;
  result += __ballot_sync(~0u, value & 1);
  result = result * 31 + __any_sync(~0u, (value & 63) == 0);
  result = result * 31 + __all_sync(~0u, value & 0xff);
  result = result * 31 + __match_any_sync(~0u, value & 7);
  result = result * 31 +
           __match_any_sync(~0u, (unsigned long long)(value & 3) << 40);
  int isSame;
  result = result * 31 + __match_all_sync(~0u, value >> 31 & index, &isSame);
  result = result * 31 + isSame;
  result = result * 31 + __reduce_add_sync(~0u, value);
  result = result * 31 + __reduce_min_sync(~0u, value);
  result = result * 31 + (unsigned)__reduce_max_sync(~0u, (int)value);
  result = result * 31 + __reduce_and_sync(~0u, value | 0xf0);
  result = result * 31 + __reduce_or_sync(~0u, value & 0xf0);
  result = result * 31 + __reduce_xor_sync(~0u, value);
  if (lane % 3 == 1) {
    unsigned mask = 0x92492492;
    result += __ballot_sync(mask, value & 2) + __popc(__activemask() & ~mask);
    result += (unsigned)__reduce_min_sync(mask, (int)value);
    result += __shfl_sync(mask, value, 4);
  } else {
    unsigned mask = ~0x92492492;
    result += __match_any_sync(mask, value & 3);
    result ^= __reduce_add_sync(mask, lane);
  }
  __syncwarp();
  out[index] = result;
}

// Groups that the data make.
extern "C" __global__ void groups(const unsigned *in, unsigned *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x, value = in[index];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<8>(warp);
  auto same = cg::labeled_partition(warp, value & 3);
  unsigned sum = value;
  for (unsigned distance = tile.size() / 2; distance; distance /= 2)
    sum += tile.shfl_xor(sum, distance);
  unsigned result = sum + tile.ballot(value & 1) * 3 + tile.meta_group_rank();
  result = result * 31 + same.size() * 5 + same.thread_rank();
  result = result * 31 + same.shfl(value, 0);
  out[index] = result;
}
