//===- include/quack-c/Runtime.h - launching from C ---------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels launched with raw pointers, and functions that compile
// themselves for the tensors they are called on. Ownership and errors are as
// Compiler.h says.
//
// Threads: other than there, one executable or function may be used by several
// threads at once.
//
// CUDA: nothing here makes a context or calls the driver before the first
// launch, so a process may fork after compiling. libcuda is loaded at run time;
// no CUDA toolkit is needed. Launches go to the caller's stream and wait for
// nothing; the current context and device are what they were afterwards. What
// has been loaded into a context stays there, since a CUDA graph may replay it.
// The first launch in a context may happen while its stream is being captured,
// with drivers of CUDA 12.3 or newer.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_C_RUNTIME_H
#define QUACK_C_RUNTIME_H

#include "quack-c/Compiler.h"
#include "quack-c/Launch.h"
#include "quack-c/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where and how a launch happens. NULL for it means: all members 0, device -1. */
typedef struct QuackLaunchOptions {
  size_t size;            /**< sizeof(QuackLaunchOptions): later versions append members */
  void *stream;           /**< a CUstream; NULL is the default stream */
  void *workspace;        /**< device memory aligned to 16, free again once the launch is
                               over in the stream; NULL where none is needed */
  int64_t workspaceBytes; /**< how large it is */
  int32_t device;         /**< the GPU that the pointers are of: unless the current context
                               is of it, its primary context is current meanwhile; -1: the
                               current context. Of a call on tensors these say it. */
} QuackLaunchOptions;

//===----------------------------------------------------------------------===//
// Compiled kernels
//===----------------------------------------------------------------------===//

/** Kernels that can be launched in any context of the process. */
typedef struct QuackExecutable QuackExecutable;

/** Returns the kernels of `compiled`, which is not needed afterwards; NULL on an error. */
QUACK_C_EXPORT QuackExecutable *quackLoad(const QuackCompiled *compiled,
                                          QuackDiagnostics **diagnostics);
/** Returns the kernels of a PTX text with the JSON document that was written beside it. */
QUACK_C_EXPORT QuackExecutable *quackLoadTexts(const char *ptx, const char *metadata,
                                               QuackDiagnostics **diagnostics);
/** Frees an executable that was never launched. After a launch it must not be called as
 *  long as the context lives: kernels may be running, or be replayed. */
QUACK_C_EXPORT void quackExecutableDestroy(QuackExecutable *executable);

/** One of them, with its variants and stages; it lives as long as the executable. */
typedef struct QuackKernel QuackKernel;

/** Returns the kernel called `name`, or the first where that is NULL; NULL if there is
 *  none. */
QUACK_C_EXPORT const QuackKernel *quackExecutableKernel(const QuackExecutable *executable,
                                                        const char *name);

/** Returns the argument for a number that an operand of role `value` takes. */
QUACK_C_EXPORT QuackArgument quackFloatValue(float value);
QUACK_C_EXPORT QuackArgument quackIntegerValue(int64_t value);

/** Sets `*bytes` to the workspace that this launch needs. Returns 0 on success. */
QUACK_C_EXPORT int quackKernelWorkspaceBytes(const QuackKernel *kernel, int64_t rows,
                                             const QuackArgument *arguments, size_t count,
                                             int64_t *bytes, QuackDiagnostics **diagnostics);

/** Launches the variant whose guards the arguments fulfil, all its stages, for `rows` rows.
 *  There is an argument for each operand, in the order of the metadata. Returns 0 on
 *  success. An error has the kernel, grid, block, cluster and shared memory, the driver's
 *  name of it, and what its assembler says. */
QUACK_C_EXPORT int quackKernelLaunch(const QuackKernel *kernel, int64_t rows,
                                     const QuackArgument *arguments, size_t count,
                                     const QuackLaunchOptions *options,
                                     QuackDiagnostics **diagnostics);

/** Loads the kernels into the current context, or that of `device` if it is not -1, so that
 *  the first launch takes no longer than others. Returns 0 on success. */
QUACK_C_EXPORT int quackExecutablePrepare(const QuackExecutable *executable, int32_t device,
                                          QuackDiagnostics **diagnostics);

/** How many of a kernel run at once on a GPU. */
typedef struct QuackOccupancy {
  int32_t ctasPerMultiprocessor;
  int32_t clusters;  /**< of the whole GPU; 0 for kernels without clusters */
  int32_t registers; /**< of a thread */
  int32_t localBytes;
} QuackOccupancy;

/** Asks the driver about the kernel called `name`, a variant or a stage, in the current
 *  context, or that of `device` if it is not -1. Returns 0 on success. */
QUACK_C_EXPORT int quackExecutableOccupancy(const QuackExecutable *executable,
                                            const char *name, int32_t device,
                                            QuackOccupancy *occupancy,
                                            QuackDiagnostics **diagnostics);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/** A row program that compiles itself for what it is called on: types, columns, which
 *  optional operands are there. What it has compiled it keeps; other processes find it in
 *  the cache. */
typedef struct QuackFunction QuackFunction;

/** Makes a function of the kernel called `kernel`, or of the only one where that is NULL.
 *  The options hold for all that is compiled: `pin`, `target`, `chip`, `ptx-version`,
 *  `max-cluster`. Returns NULL on an error. */
QUACK_C_EXPORT QuackFunction *quackFunctionCreate(const char *text, size_t length,
                                                  const char *fileName, const char *kernel,
                                                  const QuackOption *options, size_t count,
                                                  QuackDiagnostics **diagnostics);
/** Frees a function; as of executables, only one that was never called on a GPU. */
QUACK_C_EXPORT void quackFunctionDestroy(QuackFunction *function);

/** Returns the kernel as the program has it; its operands are in the order of arguments. */
QUACK_C_EXPORT const QuackKernelInfo *quackFunctionInfo(const QuackFunction *function);

/** What a call passes for one operand. */
typedef struct QuackCallArgument {
  const QuackTensor *tensor; /**< NULL: a number, or not there */
  double number;             /**< for a float operand of role value */
  int64_t integer;           /**< for an integer one */
  int32_t isGiven;           /**< 0: an optional operand that is not there */
} QuackCallArgument;

/** Sets `*bytes` to the workspace that a call on the GPU needs. Returns 0 on success. */
QUACK_C_EXPORT int quackFunctionWorkspaceBytes(const QuackFunction *function,
                                               const QuackCallArgument *arguments,
                                               size_t count, int64_t *bytes,
                                               QuackDiagnostics **diagnostics);

/** Computes: on the GPU that the tensors are on; or, where they are in the host's memory, in
 *  the simulator, which is for tests. There is an argument for each operand.
 *
 *  Tensors of role row, groups and picks are [..., columns], scalar [...], columns
 *  [columns], single one element; all with rows have as many. Columns lie side by side, and
 *  one stride spans the leading dimensions; what is not so is an error, nothing is copied.
 *  An `out` may be the tensor of an `in` of the same role and type. A workspace that is
 *  needed and not given is allocated in the order of the stream (cuMemAllocAsync), and
 *  freed so. Returns 0 on success. */
QUACK_C_EXPORT int quackFunctionCall(const QuackFunction *function,
                                     const QuackCallArgument *arguments, size_t count,
                                     const QuackLaunchOptions *options,
                                     QuackDiagnostics **diagnostics);

/** Returns how many specialisations have been compiled, or taken from the cache. */
QUACK_C_EXPORT size_t quackFunctionSpecializations(const QuackFunction *function);

#ifdef __cplusplus
}
#endif

#endif /* QUACK_C_RUNTIME_H */
