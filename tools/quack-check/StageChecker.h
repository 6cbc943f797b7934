//===- tools/quack-check/StageChecker.h - after each pass -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a module's kernels after each pass of the pipeline and compares
// with what they meant after the first one.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKCHECK_STAGECHECKER_H
#define QUACK_TOOLS_QUACKCHECK_STAGECHECKER_H

#include "Compare.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <set>

namespace quack::check {

struct CheckOptions {
  std::vector<int64_t> rows{5};
  uint64_t seed = 1;
  bool hasSpecials = false;
  /// Print each stage that passes.
  bool isVerbose = false;
};

/// Checks one module on its way through the pipeline.
class StageChecker {
public:
  explicit StageChecker(const CheckOptions &options) : options(options) {}

  /// Evaluates the module's kernels as they are after `stage`. The first call
  /// finds row programs (or tile programs, which are then only compared with
  /// themselves, padding poisoned) and keeps their results.
  void check(mlir::ModuleOp module, llvm::StringRef stage);

  bool hasFailed() const { return failed; }
  int64_t numKernels() const { return references.size(); }

  /// Prints what the first row's outputs are.
  void print(llvm::raw_ostream &os) const;

private:
  /// One evaluation of one kernel.
  struct Case {
    int64_t rows;
    Inputs inputs;
    ReferenceResult expected;
  };
  struct Reference {
    Signature signature;
    std::vector<Case> cases;
  };

  template <typename Kernel> void addReference(Kernel kernel);
  void checkKernel(mlir::Operation *op, llvm::StringRef stage);
  void checkResult(const Reference &reference, const Case &one,
                   llvm::StringRef kernel, llvm::StringRef stage,
                   bool isPoisoned,
                   const llvm::FailureOr<ReferenceResult> &result);

  CheckOptions options;
  std::map<std::string, Reference> references;
  /// How each kernel was when it was last evaluated.
  std::map<std::string, mlir::OperationFingerPrint> prints;
  /// Tile programs that have been evaluated with zeros as their padding.
  std::set<std::string> withZeros;
  /// Kernels that stand in for others: the name of the one that they vary.
  std::map<std::string, std::string> variants;
  bool failed = false;
};

/// Calls `checker` after each pass on the module.
std::unique_ptr<mlir::PassInstrumentation>
createCheckInstrumentation(StageChecker &checker);

} // namespace quack::check

#endif // QUACK_TOOLS_QUACKCHECK_STAGECHECKER_H
