//===- include/quack-c/Tensor.h - arrays with types and shapes ----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function is called on. The layout is that of DLPack's DLTensor
// (github.com/dmlc/dlpack, dlpack.h, version 1.x), so that a pointer to one is
// a pointer to the other.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_C_TENSOR_H
#define QUACK_C_TENSOR_H

#include <stdint.h>

/** Where an array is: DLPack's device types. */
enum { QUACK_DEVICE_CPU = 1, QUACK_DEVICE_CUDA = 2, QUACK_DEVICE_CUDA_MANAGED = 13 };

/** DLPack's type codes, of those that operands can have. */
enum {
  QUACK_TYPE_INT = 0,
  QUACK_TYPE_FLOAT = 2,
  QUACK_TYPE_BFLOAT = 4,
  QUACK_TYPE_FLOAT8_E4M3FN = 10,
  QUACK_TYPE_FLOAT8_E5M2 = 12
};

/** An array that somebody else owns. */
typedef struct QuackTensor {
  void *data;
  struct {
    int32_t type; /**< QUACK_DEVICE_... */
    int32_t id;   /**< which GPU */
  } device;
  int32_t dimensions;
  struct {
    uint8_t code; /**< QUACK_TYPE_... */
    uint8_t bits;
    uint16_t lanes; /**< 1 */
  } type;
  const int64_t *shape;
  const int64_t *strides; /**< in elements; NULL: row-major without gaps */
  uint64_t byteOffset;    /**< of the first element from `data` */
} QuackTensor;

#endif /* QUACK_C_TENSOR_H */
