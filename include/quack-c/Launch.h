//===- include/quack-c/Launch.h - what compiled programs call -----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher that `quack-lower-calls{to=runtime}` calls. libquack_c.so has it,
// for GPUs; whoever runs such a program may provide another.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_C_LAUNCH_H
#define QUACK_C_LAUNCH_H

#include <stdint.h>

#if !defined(QUACK_C_EXPORT) && defined(__GNUC__)
#define QUACK_C_EXPORT __attribute__((visibility("default")))
#elif !defined(QUACK_C_EXPORT)
#define QUACK_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** An operand of a kernel, in the order of its metadata. */
typedef struct QuackArgument {
  /** The address of its first element, in memory that the device can access; of role
   *  `value` the number's bits, in the low bytes. */
  uint64_t word;
  /** Elements from one row to the next; 0 for what all rows share, and for values. */
  int64_t rowStride;
} QuackArgument;

/**
 * Launches `kernel` on `stream` for `rows` rows, as `metadata` says (which variant, which
 * stages, grid, workspace).
 *
 * `ptx` and `metadata` are texts that a 0 ends: all kernels of the program, and the JSON
 * document that `quack-opt --emit=ptx` writes beside its PTX. They are constant and live as
 * long as the program. `*state` is the launcher's to keep what it made of them (a loaded
 * module): null before the first call, the same place in each call with these texts, and
 * perhaps written by several threads at once. `stream` is a CUstream, or null. `arguments`
 * has `count` elements and lives no longer than the call.
 *
 * Returns 0, or a status that ends the program; the launcher has said why (that of
 * libquack_c.so to stderr; its workspaces are allocated in the order of the stream).
 */
QUACK_C_EXPORT int32_t quackLaunch(void **state, const char *ptx, const char *metadata,
                                   const char *kernel, int64_t rows,
                                   const QuackArgument *arguments, int64_t count,
                                   void *stream);

#ifdef __cplusplus
}
#endif

#endif /* QUACK_C_LAUNCH_H */
