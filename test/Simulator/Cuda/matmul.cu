//===- Cuda/matmul.cu - tiles of matrices -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies matrices of small integers by tiles in shared memory.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void matmul(const float *a, const float *b, float *c,
                                  int size) {
  __shared__ float tileA[16][16], tileB[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int tile = 0; tile < size; tile += 16) {
    tileA[y][x] = a[row * size + tile + x];
    tileB[y][x] = b[(tile + y) * size + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * size + column] = sum;
}
