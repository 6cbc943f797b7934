//===- test/CAPI/Driver.h - the driver, and arrays on its GPUs ----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs call of libcuda themselves, as callers of the library do,
// and rows of f32 with canaries around each.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_CAPI_DRIVER_H
#define QUACK_TEST_CAPI_DRIVER_H

#include "Testing.h"

#include "quack-c/Runtime.h"

#include <dlfcn.h>
#include <math.h>

typedef uint64_t DevicePointer;

/* X(name, symbol, parameters) */
#define DRIVER_CALLS(X)                                                                  \
  X(init, cuInit, (unsigned))                                                            \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int))                          \
  X(ctxGetCurrent, cuCtxGetCurrent, (void **))                                           \
  X(ctxSetCurrent, cuCtxSetCurrent, (void *))                                            \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (void **))                                        \
  X(ctxSynchronize, cuCtxSynchronize, (void))                                            \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(memFree, cuMemFree_v2, (DevicePointer))                                              \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                  \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                        \
  X(streamCreate, cuStreamCreate, (void **, unsigned))                                   \
  X(streamIsCapturing, cuStreamIsCapturing, (void *, int *))                             \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (void *, int))                          \
  X(streamEndCapture, cuStreamEndCapture, (void *, void **))                             \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                                       \
    (void **, void *, unsigned long long))                                               \
  X(graphLaunch, cuGraphLaunch, (void *, void *))

typedef struct Driver {
#define DECLARE(name, symbol, parameters) int(*name) parameters;
  DRIVER_CALLS(DECLARE)
#undef DECLARE
} Driver;

/* Loads the driver, and makes device 0's primary context current. */
static inline Driver startDriver(void) {
  Driver driver;
  void *context, *library = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(library);
#define FIND(name, symbol, parameters)                                                   \
  *(void **)&driver.name = dlsym(library, #symbol);                                      \
  CHECK(driver.name);
  DRIVER_CALLS(FIND)
#undef FIND
  CHECK(driver.init(0) == 0);
  CHECK(driver.primaryCtxRetain(&context, 0) == 0);
  CHECK(driver.ctxSetCurrent(context) == 0);
  return driver;
}

/* Rows of f32 on the GPU: `stride` elements apart, with `margin` elements before the first
 * and after the last. What is not of a row is a NaN that no arithmetic makes. */
typedef struct Rows {
  DevicePointer base;
  long rows, columns, stride, margin;
} Rows;

#define CANARY 0x7fc0beefu

static inline size_t elementsOf(const Rows *rows) {
  return (size_t)(2 * rows->margin + rows->rows * rows->stride);
}

static inline DevicePointer addressOf(const Rows *rows) {
  return rows->base + sizeof(float) * (size_t)rows->margin;
}

static inline QuackArgument argumentOf(const Rows *rows) {
  QuackArgument argument;
  argument.word = addressOf(rows);
  argument.rowStride = rows->rows > 1 ? rows->stride : 0;
  return argument;
}

/* Copies numbers to the GPU; NULL: canaries. */
static inline void writeRows(const Driver *driver, const Rows *rows, const float *numbers) {
  size_t i, count = elementsOf(rows);
  uint32_t *bits = malloc(count * sizeof(uint32_t));
  long row;
  for (i = 0; i < count; ++i)
    bits[i] = CANARY;
  for (row = 0; numbers && row < rows->rows; ++row)
    memcpy(bits + rows->margin + row * rows->stride, numbers + row * rows->columns,
           sizeof(float) * (size_t)rows->columns);
  CHECK(driver->memcpyHtoD(rows->base, bits, count * sizeof(uint32_t)) == 0);
  free(bits);
}

/* `margin` of 4 leaves the first row where memory starts to be aligned; 5 does not. */
static inline Rows makeRows(const Driver *driver, long rows, long columns, long gap,
                            long margin, const float *numbers) {
  Rows result;
  result.rows = rows;
  result.columns = columns;
  result.stride = columns + gap;
  result.margin = margin;
  CHECK(driver->memAlloc(&result.base, elementsOf(&result) * sizeof(float)) == 0);
  writeRows(driver, &result, numbers);
  return result;
}

/* Copies the rows back, the caller's to free; all around them must be untouched. */
static inline float *readRows(const Driver *driver, const Rows *rows) {
  size_t i, count = elementsOf(rows);
  uint32_t *bits = malloc(count * sizeof(uint32_t));
  float *numbers = malloc(sizeof(float) * (size_t)(rows->rows * rows->columns + 1));
  long row;
  CHECK(driver->memcpyDtoH(bits, rows->base, count * sizeof(uint32_t)) == 0);
  for (row = 0; row < rows->rows; ++row) {
    uint32_t *own = bits + rows->margin + row * rows->stride;
    memcpy(numbers + row * rows->columns, own, sizeof(float) * (size_t)rows->columns);
    for (i = 0; i < (size_t)rows->columns; ++i)
      own[i] = CANARY;
  }
  for (i = 0; i < count; ++i)
    CHECK(bits[i] == CANARY);
  free(bits);
  return numbers;
}

/* Whether no element of any row was written. */
static inline int isUntouched(const Driver *driver, const Rows *rows) {
  float *numbers = readRows(driver, rows);
  uint32_t bits, all = 1;
  long i;
  for (i = 0; i < rows->rows * rows->columns; ++i) {
    memcpy(&bits, numbers + i, sizeof(bits));
    all &= bits == CANARY;
  }
  free(numbers);
  return (int)all;
}

/* Numbers between -4 and 4, the same for the same seed. */
static inline float *makeNumbers(long count, unsigned seed) {
  float *numbers = malloc(sizeof(float) * (size_t)count);
  uint32_t state = seed * 2654435761u + 1;
  long i;
  for (i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = (float)(state >> 8) / (float)(1 << 21) - 4.0f;
  }
  return numbers;
}

/* Checks rows against exp(x - max) / sum exp(x - max) in double precision. */
static inline void checkSoftmax(const float *x, const float *y, long rows, long columns) {
  long row, i;
  for (row = 0; row < rows; ++row, x += columns, y += columns) {
    double max = -INFINITY, sum = 0;
    for (i = 0; i < columns; ++i)
      max = fmax(max, x[i]);
    for (i = 0; i < columns; ++i)
      sum += exp(x[i] - max);
    for (i = 0; i < columns; ++i)
      CHECK(fabs(y[i] / (exp(x[i] - max) / sum) - 1) < 1e-5);
  }
}

#endif /* QUACK_TEST_CAPI_DRIVER_H */
