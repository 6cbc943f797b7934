//===- Cuda/wavefronts.cu - places in shared memory -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One access to shared memory at places that the input names: what such an
// access costs depends on its width and on which banks the lanes ask for. A
// negative place keeps its lane out.
//
//===----------------------------------------------------------------------===//

template <typename T> static __device__ int fold(T value) {
  int words[sizeof(T) / 4], sum = 0;
  memcpy(words, &value, sizeof(T));
  for (int word : words)
    sum = sum * 31 + word;
  return sum;
}

template <typename T> static __device__ void load(const int *places, int *out) {
  __shared__ int4 memory[256];
  int *words = reinterpret_cast<int *>(memory);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    words[i] = i * i;
  __syncthreads();
  int place = places[threadIdx.x];
  T value{};
  if (place >= 0)
    value = reinterpret_cast<T *>(memory)[place];
  out[threadIdx.x] = fold(value);
}

template <typename T>
static __device__ void store(const int *places, int *out) {
  __shared__ int4 memory[256];
  int *words = reinterpret_cast<int *>(memory);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  int place = places[threadIdx.x];
  if (place >= 0) {
    // The same value from all, so that it does not matter who is last.
    int filled[sizeof(T) / 4];
    for (int &word : filled)
      word = place;
    T value;
    memcpy(&value, filled, sizeof(T));
    reinterpret_cast<T *>(memory)[place] = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[i] = words[i];
}

extern "C" {
__global__ void load4(const int *places, int *out) { load<int>(places, out); }
__global__ void load8(const int *places, int *out) { load<int2>(places, out); }
__global__ void load16(const int *places, int *out) { load<int4>(places, out); }
__global__ void store4(const int *places, int *out) { store<int>(places, out); }
__global__ void store8(const int *places, int *out) {
  store<int2>(places, out);
}
__global__ void store16(const int *places, int *out) {
  store<int4>(places, out);
}

__global__ void atomic4(const int *places, int *out) {
  __shared__ int words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  if (places[threadIdx.x] >= 0)
    atomicAdd(&words[places[threadIdx.x]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[i] = words[i];
}

__global__ void shuffle4(const int *places, int *out) {
  out[threadIdx.x] = __shfl_sync(~0u, (int)threadIdx.x, places[threadIdx.x]);
}
}
