//===- Picks.cpp - the greatest elements of a row --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picks.h"
#include "Program.h"

#include <numeric>

using namespace mlir;
using namespace quack;
using namespace quack::reference;

std::vector<size_t> reference::pickGreatest(llvm::ArrayRef<double> values,
                                            size_t count) {
  std::vector<size_t> columns(values.size());
  std::iota(columns.begin(), columns.end(), 0);
  auto isBefore = [&](size_t lhs, size_t rhs) {
    bool isLeftNaN = std::isnan(values[lhs]),
         isRightNaN = std::isnan(values[rhs]);
    if (isLeftNaN != isRightNaN)
      return isLeftNaN;
    if (!isLeftNaN && values[lhs] != values[rhs])
      return values[lhs] > values[rhs];
    return lhs < rhs;
  };
  std::partial_sort(columns.begin(),
                    columns.begin() + static_cast<std::ptrdiff_t>(count),
                    columns.end(), isBefore);
  columns.resize(count);
  return columns;
}

/// exp2 has an error of 2 units, its argument one of |v - max| units, and a sum
/// of K terms one of K.
void reference::applySoftmax(std::vector<Number> &picked) {
  static const FloatTraits f32 = getTraits(FloatFormat::f32);
  Number greatest = picked.front();
  double sum = 0, sumError = 0;
  std::vector<Number> terms;
  for (Number pick : picked) {
    double difference = pick.value - greatest.value;
    double relative =
        (2 * std::fabs(difference) + 4) * unit + pick.error + greatest.error;
    double term = std::exp(difference);
    double error =
        difference == -infinity ? 0.0 : term * std::expm1(relative) + flush;
    terms.push_back({term, error});
    sum += term;
    sumError += error + static_cast<double>(picked.size()) * unit * term;
  }
  for (auto [pick, term] : llvm::zip(picked, terms)) {
    double share = term.value / sum;
    double error = (term.error + share * sumError) / (sum - sumError) +
                   3 * unit * share + tiny;
    pick = settle(f32, share, error, !(sumError < sum));
  }
}

void Program::addTopK(TopKOp op) {
  unsigned source = laneOf(op.getSource());
  unsigned values = cast<BlockArgument>(op.getValues()).getArgNumber();
  unsigned columnsOf = cast<BlockArgument>(op.getColumns()).getArgNumber();
  bool softmax = op.getSoftmax();
  FloatTraits storage =
      getTraits(getFloatFormat(getElementTypeOrSelf(op.getValues().getType())));
  int64_t n = columns;
  steps.push_back([=](Frame &frame,
                      const std::vector<OperandBuffers> &buffers) {
    const Lane &row = frame.lanes[source];
    auto count = static_cast<size_t>(buffers[values].columns);
    std::vector<size_t> picks = pickGreatest(row.values, count);
    // No element of a sorted row moves farther than the one that moves
    // farthest.
    double farthest = *std::max_element(row.errors.begin(), row.errors.end());
    std::vector<Number> picked;
    for (size_t column : picks)
      picked.push_back({row.values[column], farthest});
    int64_t offset = buffers[columnsOf].rowOffset(frame.row, n);
    for (auto [i, column] : llvm::enumerate(picks)) {
      auto at = static_cast<double>(column);
      double error = 0;
      for (size_t j = 0; farthest > 0 && j < row.size(); ++j)
        if (!(std::fabs(row.values[j] - row.values[column]) > 2 * farthest))
          error = std::max(error, std::fabs(static_cast<double>(j) - at));
      buffers[columnsOf].output[offset + i] = at;
      buffers[columnsOf].bound[offset + i] = error;
    }
    if (softmax)
      applySoftmax(picked);
    offset = buffers[values].rowOffset(frame.row, n);
    for (auto [i, pick] : llvm::enumerate(picked)) {
      Number rounded =
          storage.precision < 24 ? roundInterval(storage, pick) : pick;
      buffers[values].output[offset + i] = rounded.value;
      buffers[values].bound[offset + i] = rounded.error;
    }
  });
}

void Program::addScatter(ScatterOp op) {
  unsigned values = cast<BlockArgument>(op.getValues()).getArgNumber();
  unsigned columnsOf = cast<BlockArgument>(op.getColumns()).getArgNumber();
  unsigned target = cast<BlockArgument>(op.getTarget()).getArgNumber();
  FloatTraits storage =
      getTraits(getFloatFormat(getElementTypeOrSelf(op.getTarget().getType())));
  int64_t n = columns;
  steps.push_back([=](Frame &frame,
                      const std::vector<OperandBuffers> &buffers) {
    double *row =
        buffers[target].output + buffers[target].rowOffset(frame.row, n);
    std::fill(row, row + n, 0.0);
    const double *from =
        buffers[values].input + buffers[values].rowOffset(frame.row, n);
    const double *at =
        buffers[columnsOf].input + buffers[columnsOf].rowOffset(frame.row, n);
    for (int64_t i = 0; i < buffers[values].columns; ++i)
      if (at[i] >= 0 && at[i] < static_cast<double>(n))
        row[static_cast<int64_t>(at[i])] = roundTo(storage, from[i]);
  });
}
