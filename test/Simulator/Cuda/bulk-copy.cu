//===- Cuda/bulk-copy.cu - bulk copies and mbarriers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies that an mbarrier ends: global to shared memory and back, and from
// one block's shared memory to another's.
//
//===----------------------------------------------------------------------===//

#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void bulkCopy(const int *in, int *out, int tiles) {
  alignas(128) __shared__ int tile[512];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier_t full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    int first = (blockIdx.x * tiles + t) * 512;
    barrier_t::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(
          tile, in + first, cuda::aligned_size_t<16>(sizeof(tile)), full);
      token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    } else {
      token = full.arrive();
    }
    full.wait(std::move(token));
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
      tile[i] = 3 * tile[i] + i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + first,
                         tile, sizeof(tile));
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    __syncthreads();
  }
}

// Block 0 multicasts to all; each then sends a quarter to the next block.
extern "C" __global__ void bulkCluster(const int *in, int *out) {
  alignas(128) __shared__ int tile[256];
  alignas(128) __shared__ int received[64];
  __shared__ uint64_t full, arrived;
  unsigned rank = ptx::get_sreg_cluster_ctarank();
  unsigned blocks = ptx::get_sreg_cluster_nctarank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&arrived, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                   ptx::space_shared, &full, sizeof(tile));
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                   ptx::space_shared, &arrived,
                                   sizeof(received));
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  // The library has the multicast form for sm_90a only.
  if (rank == 0 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
            (unsigned)__cvta_generic_to_shared(tile)),
        "l"(in + blockIdx.x / blocks * 256), "r"((unsigned)sizeof(tile)),
        "r"((unsigned)__cvta_generic_to_shared(&full)),
        "h"((unsigned short)((1 << blocks) - 1))
        : "memory");
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                        &full, 0))
    ;
  if (threadIdx.x == 0) {
    unsigned next = (rank + 1) % blocks;
    int *target;
    uint64_t *signal;
    asm("mapa.u64 %0, %1, %2;" : "=l"(target) : "l"(received), "r"(next));
    asm("mapa.u64 %0, %1, %2;" : "=l"(signal) : "l"(&arrived), "r"(next));
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, target,
                       tile + 64 * rank, sizeof(received), signal);
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                        &arrived, 0))
    ;
  out[blockIdx.x * 64 + threadIdx.x] =
      received[threadIdx.x] + 5 * tile[255 - threadIdx.x];
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

// Adds a block's tile to global memory, in bulk.
extern "C" __global__ void bulkReduce(const int *in, int *out) {
  alignas(128) __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add,
                              out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
}
