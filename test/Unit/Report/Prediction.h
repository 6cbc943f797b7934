//===- Prediction.h - a report beside the simulator's counters --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts what launches of a program ask for, runs the program's PTX in the
// simulator and compares, instruction by instruction. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_REPORT_PREDICTION_H
#define QUACK_TEST_UNIT_REPORT_PREDICTION_H

#include "quack/Report/Launch.h"

#include <string>

namespace quack::test {

/// A program, a plan and a launch.
struct Case {
  std::string program; ///< below the repository's root
  int64_t columns;
  std::string storage, pin;
  DescribedLaunch launch;

  std::string str() const;
};

/// Compares all variants of the program's kernels that the launch may take.
/// Returns how the report and the simulator differ, an error, or nothing; a
/// case without a legal plan is no difference. `compared` is increased by the
/// number of instructions that agree. Kernels that pick elements may have more than
/// the report says.
std::string compare(const Case &test, int64_t &compared);

} // namespace quack::test

#endif // QUACK_TEST_UNIT_REPORT_PREDICTION_H
