//===- Cuda/cluster-reduce.cu - blocks of a cluster -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over a cluster: each block leaves its sum in its shared memory, and
// reads those of the others there.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1)
    clusterReduce(const int *in, int *out, int count) {
  __shared__ int warpSums[4];
  __shared__ int blockSum;
  cg::cluster_group cluster = cg::this_cluster();
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x / 4, sum = 0;
  for (int i = cluster.thread_rank(); i < count; i += cluster.num_threads())
    sum += in[row * count + i];
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0)
    warpSums[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0)
    blockSum = warpSums[0] + warpSums[1] + warpSums[2] + warpSums[3];
  cluster.sync();
  if (block.thread_rank() < cluster.num_blocks()) {
    int peer = *cluster.map_shared_rank(&blockSum, block.thread_rank());
    atomicAdd(&out[row * 4 + cluster.block_rank()], peer);
  }
  cluster.sync();
}

// The ring: each block adds to a cell of the next one, with remote atomics.
extern "C" __global__ void clusterRing(const int *in, int *out) {
  __shared__ int cells[32];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x < 32)
    cells[threadIdx.x] = 0;
  cluster.sync();
  int *next = cluster.map_shared_rank(cells, (rank + 1) % cluster.num_blocks());
  atomicAdd(&next[threadIdx.x % 32], in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (threadIdx.x < 32)
    out[blockIdx.x * 32 + threadIdx.x] = cells[threadIdx.x];
}
