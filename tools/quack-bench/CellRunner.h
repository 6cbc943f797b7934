//===- tools/quack-bench/CellRunner.h - one cell ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a cell's kernel, places its operands, measures and verifies.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_CELLRUNNER_H
#define QUACK_TOOLS_QUACKBENCH_CELLRUNNER_H

#include "Cells.h"
#include "Contest.h"

#include "quack/Run/Session.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace quack::bench {

/// Measures a cell by each of its methods. Returns a row of this project's
/// kernel and rows of yardsticks for each; what went wrong is the error of a
/// row. On a GPU that is lost, the session's context is dead.
std::vector<Row> runCell(const CellJob &cell, mlir::MLIRContext &context,
                         Session &session, const Effort &effort);

/// Compiles a cell's kernel and describes its launch in one line.
llvm::Expected<std::string> describeCell(const CellJob &cell,
                                         mlir::MLIRContext &context);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_CELLRUNNER_H
