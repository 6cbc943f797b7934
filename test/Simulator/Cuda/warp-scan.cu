//===- Cuda/warp-scan.cu - shuffles -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive prefix sums of a block: within warps by shuffles, then over warps.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void warpScan(const int *in, int *out) {
  __shared__ int totals[32];
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = in[index];
  for (int distance = 1; distance < 32; distance *= 2) {
    int below = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance)
      value += below;
  }
  if (lane == 31)
    totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int total = lane < blockDim.x / 32 ? totals[lane] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
      int below = __shfl_up_sync(~0u, total, distance);
      total += lane >= distance ? below : 0;
    }
    totals[lane] = total;
  }
  __syncthreads();
  out[index] = value + (warp ? totals[warp - 1] : 0);
}

// Segments of 8 lanes; one value to all, pairs swapped.
extern "C" __global__ void shuffles(const int *in, int *out) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[index];
  int up = __shfl_up_sync(~0u, value, 3, 8);
  int down = __shfl_down_sync(~0u, value, 3, 8);
  int swapped = __shfl_xor_sync(~0u, value, 5, 8);
  int one = __shfl_sync(~0u, value, index * 7, 16);
  long long wide = __shfl_xor_sync(~0u, (long long)value << 20 | index, 9);
  out[index] = up + 3 * down + 5 * swapped + 7 * one + (int)(wide >> 3);
}
