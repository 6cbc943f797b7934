//===- include/quack/Bench/Tables.h - measured cells for people -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows as text: a line for each cell while it is measured, and whole tables
// with a column for each implementation.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BENCH_TABLES_H
#define QUACK_BENCH_TABLES_H

#include "quack/Bench/Table.h"

namespace quack {

/// Prints the heads, with units, of what printCell prints.
void printCellHead(llvm::raw_ostream &os);

/// Prints one line about this project's `ours` beside `copy` of as many bytes,
/// and `read` where the kernel hardly writes; either may be null.
void printCell(llvm::raw_ostream &os, const Row &ours, const Row *copy,
               const Row *read);

/// Prints TB/s of each implementation for each kernel, type and method, and why
/// some are not there.
void printTables(llvm::raw_ostream &os, const Table &table);

} // namespace quack

#endif // QUACK_BENCH_TABLES_H
