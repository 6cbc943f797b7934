//===- ReferenceTest.h - kernels for the evaluator's tests -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a kernel and evaluates it; makes kernels around a few operations, and
// holds the row programs that the cases use.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_REFERENCE_REFERENCETEST_H
#define QUACK_TEST_UNIT_REFERENCE_REFERENCETEST_H

#include "quack/Reference/Evaluator.h"

#include <cmath>
#include <limits>
#include <string>

namespace quack::test {

using Values = std::vector<double>;
using Inputs = std::map<std::string, ReferenceArray>;

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline const double qnan = std::numeric_limits<double>::quiet_NaN();

/// What an evaluation gave, or the diagnostic that it emitted.
struct Outcome {
  ReferenceResult result;
  std::string error;

  const Values &values(const std::string &name = "y") {
    return result.outputs[name].values;
  }
  const Values &bounds(const std::string &name = "y") {
    return result.bounds[name].values;
  }
};

/// Parses the kernel in `source` and evaluates it on `rows` rows.
Outcome evaluateSource(const std::string &source, int64_t rows,
                       const Inputs &inputs);

/// Evaluates `body` on one row: it computes %r from the rows %a, %b and %c, as
/// many as there are `inputs`. `inputType` and `resultType` are element types.
Outcome evaluateBody(const std::string &body, const std::vector<Values> &inputs,
                     const std::string &inputType = "f32",
                     const std::string &resultType = "f32");

/// Row programs from `x` to `y` (a row) or `s` (a scalar) with f32 storage.
std::string softmaxSource(int64_t columns);
std::string logSoftmaxSource(int64_t columns);
std::string logsumexpSource(int64_t columns);
std::string reduceSource(const std::string &kind, int64_t columns,
                         const std::string &init = "");

/// Replaces each `N` that stands for the number of columns.
std::string withColumns(std::string source, int64_t columns);

} // namespace quack::test

#endif // QUACK_TEST_UNIT_REFERENCE_REFERENCETEST_H
