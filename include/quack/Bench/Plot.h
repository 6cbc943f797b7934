//===- include/quack/Bench/Plot.h - measured cells as pictures --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVG figures of a table: TB/s over N, a panel for each type, a line for each
// implementation, the copy dashed. The same table gives the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BENCH_PLOT_H
#define QUACK_BENCH_PLOT_H

#include "quack/Bench/Table.h"

namespace quack {

/// One figure: its file's name, such as softmax.svg or softmax-replay.svg, and
/// text.
struct Figure {
  std::string name, svg;
};

/// Draws a figure for each kernel and method of `table`. Refuses tables of
/// several GPUs, and kernels whose names make no file name.
llvm::Expected<std::vector<Figure>> drawFigures(const Table &table);

/// Writes the figures into a folder, which is made if need be.
llvm::Error writeFigures(llvm::ArrayRef<Figure> figures,
                         llvm::StringRef folder);

} // namespace quack

#endif // QUACK_BENCH_PLOT_H
