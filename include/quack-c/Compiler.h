//===- include/quack-c/Compiler.h - the compiler from C -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs from text, kernels raised from linalg, PTX with launch metadata.
// C99; no header of LLVM or MLIR.
//
// Ownership: what a function returns by a pointer that is not const is the
// caller's, to be freed by its ...Destroy, which takes NULL too. What is
// const lives as long as what it was asked of, unless said otherwise.
//
// Threads: distinct objects may be used by distinct threads at once, one
// object by one thread at a time. Nothing is written to stderr.
//
// Errors: a function that can fail says so by what it returns, and, where
// `diagnostics` is not NULL, sets `*diagnostics` to all that was said: errors
// with their notes, warnings, remarks. It does so when it succeeds, too;
// without anything to say, to NULL. Objects stay what they were after an
// error. NULL for an object is an error, or none of what is asked for: NULL
// or 0. No program ends the process by what it says.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_C_COMPILER_H
#define QUACK_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if !defined(QUACK_C_EXPORT) && defined(__GNUC__)
#define QUACK_C_EXPORT __attribute__((visibility("default")))
#elif !defined(QUACK_C_EXPORT)
#define QUACK_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the compiler's version, such as "0.1.0". */
QUACK_C_EXPORT const char *quackVersion(void);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/** What was said, in order. */
typedef struct QuackDiagnostics QuackDiagnostics;

typedef enum QuackSeverity {
  QUACK_NOTE = 0, /**< belongs to what stands before it */
  QUACK_WARNING = 1,
  QUACK_ERROR = 2,
  QUACK_REMARK = 3
} QuackSeverity;

/** One of them. */
typedef struct QuackDiagnostic {
  QuackSeverity severity;
  const char *message;
  const char *file; /**< empty if it has no place */
  uint32_t line;    /**< from 1; 0 if it has no place */
  uint32_t column;
} QuackDiagnostic;

QUACK_C_EXPORT size_t quackDiagnosticsCount(const QuackDiagnostics *diagnostics);
/** Returns NULL for an index that there is not. */
QUACK_C_EXPORT const QuackDiagnostic *
quackDiagnosticsGet(const QuackDiagnostics *diagnostics, size_t index);
QUACK_C_EXPORT void quackDiagnosticsDestroy(QuackDiagnostics *diagnostics);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/** An operand of a kernel. Later versions may append members, as to the next: neither is
 *  made, copied or held in arrays by who is not this library. */
typedef struct QuackOperandInfo {
  const char *name;
  const char *direction;  /**< in, out or inout */
  const char *role;       /**< row, columns, scalar, single, value, groups or picks */
  const char *type;       /**< in memory: f32, bf16, f16, f8E4M3FN, ..., i64 */
  int64_t alignmentBytes; /**< of its address and, of rows, its row stride; 1 in a program */
  int64_t columns;        /**< of groups and picks: elements of a row; else, or not yet
                               known: 0 */
  int32_t isOptional;     /**< of a program: whether it may be left out */
} QuackOperandInfo;

/** A kernel, and how it is launched: of a program's, this is not known, and 0 or "".
 *
 *  The grid has ceil(M / rowsPerTile) * split * cluster CTAs of `threads` threads, or
 *  `ctas` where this is not 0; nothing is launched for no CTAs. Parameters: for each memref
 *  operand a device pointer and a 64-bit row stride in elements; M, 64 bits; the operands
 *  of role value; and, if it has any workspace, a pointer to M * workspaceBytes +
 *  fixedWorkspaceBytes bytes that is aligned to 16. */
typedef struct QuackKernelInfo {
  const char *name;
  int64_t columns; /**< N; -1 of a generic kernel, which needs the option `columns` */
  int64_t threads, cluster, rowsPerTile, split, ctas;
  int64_t sharedBytes; /**< of dynamic shared memory, a CTA */
  int64_t workspaceBytes, fixedWorkspaceBytes;
  int64_t leastRows;     /**< the fewest rows that it takes */
  const char *otherwise; /**< the kernel for what has not these alignments or rows; or "" */
  const char *next;      /**< the kernel to launch after it, with the same arguments; or "" */
  const char *plan;
  size_t operandCount;
} QuackKernelInfo;

/** Returns an operand, in the order of the launch ABI; NULL for an index that there is
 *  not. */
QUACK_C_EXPORT const QuackOperandInfo *quackKernelOperand(const QuackKernelInfo *kernel,
                                                          size_t index);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/** A module: kernels, functions on tensors, or both. */
typedef struct QuackProgram QuackProgram;

/** An option by its name, as the pipelines of quack-opt have it; `value` has no quotation
 *  marks ("). An unknown name or a value of the wrong kind is an error. */
typedef struct QuackOption {
  const char *name;
  const char *value;
} QuackOption;

/** Parses `length` bytes of text, which are not needed afterwards. `fileName` is what
 *  locations call it. MLIR's bytecode is an error: its reader trusts who wrote it. Returns
 *  NULL on an error. */
QUACK_C_EXPORT QuackProgram *quackParse(const char *text, size_t length,
                                        const char *fileName,
                                        QuackDiagnostics **diagnostics);

/** Inlines functions, and makes kernels of the row reductions that they have. Options:
 *  `dynamic-columns`, `target`, `rows`, as of --quack-raise-linalg. What was raised, and
 *  what was not and why, is said by remarks. Returns 0 on success; after an error the
 *  program is what it was. */
QUACK_C_EXPORT int quackRaise(QuackProgram *program, const QuackOption *options,
                              size_t count, QuackDiagnostics **diagnostics);

/** Returns how many kernels there are. */
QUACK_C_EXPORT size_t quackProgramCountKernels(const QuackProgram *program);
/** Returns a kernel, until the program is raised or destroyed; NULL for an index that
 *  there is not. */
QUACK_C_EXPORT const QuackKernelInfo *quackProgramKernel(const QuackProgram *program,
                                                         size_t index);
/** Returns the program as text, until it changes or is asked again. */
QUACK_C_EXPORT const char *quackProgramText(QuackProgram *program);
QUACK_C_EXPORT void quackProgramDestroy(QuackProgram *program);

//===----------------------------------------------------------------------===//
// Compiled kernels
//===----------------------------------------------------------------------===//

/** PTX and metadata of all kernels of a program. */
typedef struct QuackCompiled QuackCompiled;

/** Compiles a program's kernels; the program stays as it is. Options: `columns`, `storage`,
 *  `groups`, `picks`, `target`, `pin`, `chip`, `ptx-version`, `max-cluster`, as of the
 *  pipeline quack-to-llvm. Returns NULL on an error. */
QUACK_C_EXPORT QuackCompiled *quackCompile(const QuackProgram *program,
                                           const QuackOption *options, size_t count,
                                           QuackDiagnostics **diagnostics);

QUACK_C_EXPORT const char *quackCompiledPTX(const QuackCompiled *compiled);
/** Returns the JSON document that quack-opt --emit=ptx writes. */
QUACK_C_EXPORT const char *quackCompiledMetadata(const QuackCompiled *compiled);
QUACK_C_EXPORT size_t quackCompiledCountKernels(const QuackCompiled *compiled);
/** Returns a kernel, variants and stages among them; NULL for an index that there is not. */
QUACK_C_EXPORT const QuackKernelInfo *quackCompiledKernel(const QuackCompiled *compiled,
                                                          size_t index);
QUACK_C_EXPORT void quackCompiledDestroy(QuackCompiled *compiled);

//===----------------------------------------------------------------------===//
// The library of kernels, and the cache
//===----------------------------------------------------------------------===//

/** Returns how many kernels the library has. */
QUACK_C_EXPORT size_t quackLibraryCount(void);
/** Returns a kernel's name, in ascending order; NULL for an index that there is not. */
QUACK_C_EXPORT const char *quackLibraryName(size_t index);
/** Returns the program of the kernel called `name`, such as "softmax", for quackParse and
 *  others that take text; NULL if there is none of that name. */
QUACK_C_EXPORT const char *quackLibraryText(const char *name);

/** Compiles the kernels of a program in text, as quackParse and quackCompile do, or takes
 *  them from the cache, in memory or on disk (lib/Cache/README.md says where that is): then
 *  nothing is parsed. Returns NULL on an error. */
QUACK_C_EXPORT QuackCompiled *quackCompileText(const char *text, size_t length,
                                               const char *fileName,
                                               const QuackOption *options, size_t count,
                                               QuackDiagnostics **diagnostics);

/** How often kernels came from where in this process. */
typedef struct QuackCacheCounters {
  uint64_t memoryHits, diskHits, compiled;
  uint64_t rejected; /**< files on disk that were damaged, or of another version */
} QuackCacheCounters;

/** Sets `*counters`. Returns 0 on success; an error is a variable of the environment that
 *  cannot be read. */
QUACK_C_EXPORT int quackCacheCount(QuackCacheCounters *counters,
                                   QuackDiagnostics **diagnostics);
/** Returns the directory of the cache, which is for `free`; "" if it is off, NULL on an
 *  error. */
QUACK_C_EXPORT char *quackCacheDirectory(QuackDiagnostics **diagnostics);
/** Removes all entries on disk. Returns how many there were; -1 on an error. */
QUACK_C_EXPORT int64_t quackCacheClear(QuackDiagnostics **diagnostics);

#ifdef __cplusplus
}
#endif

#endif /* QUACK_C_COMPILER_H */
