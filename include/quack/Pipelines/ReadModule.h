//===- include/quack/Pipelines/ReadModule.h - text to modules ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tools and APIs read programs. MLIR's parser calls itself for each bracket, and
// for each minus before an expression; a text that nests them deeper than the stack
// ends the process: such a text is refused first.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PIPELINES_READMODULE_H
#define QUACK_PIPELINES_READMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm

namespace quack {

/// Checks that no bracket lies in more than 256 others, and that no more than 256 signs
/// follow each other, or says where that is so.
mlir::LogicalResult checkNesting(const llvm::MemoryBuffer &text,
                                 mlir::MLIRContext *context);

/// Opens what a tool is given as its program: a file, `-` for stdin, or a kernel of the library
/// (quack/Kernels/Library.h) as `library:softmax`, which diagnostics call softmax.mlir. Returns
/// null, and why in `error`, if there is none.
std::unique_ptr<llvm::MemoryBuffer> openProgram(llvm::StringRef name, std::string *error);

/// Returns the program that `sources` holds. Errors are diagnostics at their
/// place.
mlir::OwningOpRef<mlir::ModuleOp>
readModule(const std::shared_ptr<llvm::SourceMgr> &sources,
           mlir::MLIRContext *context);

/// Returns the program that `text` is, which diagnostics call `name`. MLIR's bytecode is an
/// error: its reader trusts who wrote it.
mlir::OwningOpRef<mlir::ModuleOp> readText(llvm::StringRef text, llvm::StringRef name,
                                           mlir::MLIRContext *context);

} // namespace quack

#endif // QUACK_PIPELINES_READMODULE_H
