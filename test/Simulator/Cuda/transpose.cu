//===- Cuda/transpose.cu - tiles in shared memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a matrix through tiles in shared memory: padded, so without bank
// conflicts, and not, so that a column of a tile is one bank.
//
//===----------------------------------------------------------------------===//

template <int pitch>
__device__ void transposeTile(const int *in, int *out, int rows, int columns) {
  __shared__ int tile[32][pitch];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void transposePadded(const int *in, int *out, int rows,
                                           int columns) {
  transposeTile<33>(in, out, rows, columns);
}

extern "C" __global__ void transposeConflicts(const int *in, int *out, int rows,
                                              int columns) {
  transposeTile<32>(in, out, rows, columns);
}
