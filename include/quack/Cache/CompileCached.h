//===- include/quack/Cache/CompileCached.h - text to kernels ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler behind its cache: of a program that was compiled before, nothing is
// parsed.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CACHE_COMPILECACHED_H
#define QUACK_CACHE_COMPILECACHED_H

#include "quack/Cache/CompileCache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <utility>

namespace quack {

class Assembler;

/// What to compile. All of it is the caller's, and needed for the call only.
struct CompileRequest {
  llvm::StringRef program;              ///< kernels as text
  llvm::StringRef fileName = "program"; ///< what diagnostics call it
  /// Options of the pipeline to PTX (PipelineOptions) by name, with their values.
  llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> options;
  /// Whether a cubin is asked for, which there is where an assembler is.
  bool wantsCubin = false;
};

/// Returns the kernels of a program, from the cache if they are there. An error is a
/// CompileError (quack/Pipelines/Diagnostics.h) with all diagnostics if the program does not
/// compile, and a StringError otherwise. If the assembler fails, it is no error: the kernels
/// have no cubin, but a `cubinProblem`. Nothing is written to stderr. Any number of threads may
/// call it at once.
///
/// With a cubin and without are two entries; the former is made of the latter's PTX.
llvm::Expected<CompileCache::Kernels> compileCached(const CompileRequest &request,
                                                    CompileCache &cache,
                                                    const Assembler *assembler);

/// The same with the cache and the assembler of the process. An error may also say which
/// environment variable cannot be read (lib/Cache/README.md).
llvm::Expected<CompileCache::Kernels> compileCached(const CompileRequest &request);

} // namespace quack

#endif // QUACK_CACHE_COMPILECACHED_H
