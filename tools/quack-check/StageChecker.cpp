//===- tools/quack-check/StageChecker.cpp - after each pass -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference is the row program once its N is known. Tile programs run with poison as
// their padding, which a result that does not lean on it never sees, and once with the
// zeros that it holds by contract.
//
//===----------------------------------------------------------------------===//

#include "StageChecker.h"

#include "quack/Reference/TileEvaluator.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;
using namespace quack::check;

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

static FailureOr<ReferenceResult> evaluateAny(Operation *op, int64_t rows,
                                              const Inputs &inputs,
                                              bool isPoisoned) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return evaluate(kernel, rows, inputs);
  FailureOr<ReferenceResult> result =
      evaluateTile(cast<tv::KernelOp>(op), rows, inputs, {isPoisoned});
  if (succeeded(result))
    for (const auto &[name, output] : result->outputs)
      result->bounds[name].values.resize(output.values.size());
  return result;
}

template <typename Kernel> void StageChecker::addReference(Kernel kernel) {
  Reference &reference = references[kernel.getSymName().str()];
  reference.signature = Signature::of(kernel);
  for (int64_t rows : options.rows)
    for (bool hasSpecials : {false, true}) {
      if (hasSpecials && !options.hasSpecials)
        continue;
      Case one{
          rows,
          makeInputs(reference.signature, rows, {options.seed, hasSpecials}),
          {}};
      FailureOr<ReferenceResult> expected =
          evaluateAny(kernel, rows, one.inputs, /*isPoisoned=*/false);
      failed |= mlir::failed(expected);
      if (failed)
        return;
      one.expected = std::move(*expected);
      reference.cases.push_back(std::move(one));
    }
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

void StageChecker::checkResult(const Reference &reference, const Case &one,
                               StringRef kernel, StringRef stage,
                               bool isPoisoned,
                               const FailureOr<ReferenceResult> &result) {
  const char *padding = isPoisoned ? ", padding poisoned" : "";
  if (mlir::failed(result)) {
    llvm::outs() << "FAIL " << stage << ": @" << kernel << ", " << one.rows
                 << " rows" << padding << ": cannot be evaluated\n";
    failed = true;
    return;
  }
  std::optional<Mismatch> wrong =
      compare(reference.signature, one.expected, *result);
  if (!wrong)
    return;
  llvm::outs() << "FAIL " << stage << ": @" << kernel << ", " << one.rows
               << " rows" << padding << ": '" << wrong->operand << "' row "
               << wrong->row << ", column " << wrong->column << ": got "
               << llvm::format("%.17g, expected %.17g within %.3g\n",
                               wrong->got, wrong->expected, wrong->tolerance);
  failed = true;
}

void StageChecker::checkKernel(Operation *op, StringRef stage) {
  StringRef name = SymbolTable::getSymbolName(op).getValue();
  // A variant must agree with the kernel that it stands in for.
  auto variant = variants.find(name.str());
  auto found = references.find(variant == variants.end() ? name.str() : variant->second);
  if (found == references.end())
    return;
  const Reference &reference = found->second;
  auto tile = dyn_cast<tv::KernelOp>(op);
  OperationFingerPrint now(op);
  auto [last, isNew] = prints.try_emplace(name.str(), now);
  bool isReference = isNew && !tile && found->first == name;
  // What a pass has left alone need not be evaluated again; of stages, one may have changed.
  bool isSame = !isNew && last->second == now && !(tile && tile.getNext());
  last->second = now;
  if (isReference || isSame)
    return;
  SmallVector<bool, 2> poisons{bool(tile)};
  if (tile && withZeros.insert(name.str()).second)
    poisons.push_back(false);
  for (const Case &one : reference.cases)
    for (bool isPoisoned : poisons) {
      if (failed)
        return;
      checkResult(reference, one, name, stage, isPoisoned,
                  evaluateAny(op, one.rows, one.inputs, isPoisoned));
    }
}

void StageChecker::check(ModuleOp module, StringRef stage) {
  if (failed)
    return;
  // Later stages are evaluated with the kernel that they belong to.
  std::set<std::string> laterStages;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>())
    if (std::optional<StringRef> next = kernel.getNext())
      laterStages.insert(next->str());
  if (references.empty()) {
    for (KernelOp kernel : module.getOps<KernelOp>())
      addReference(kernel);
    for (tv::KernelOp kernel : module.getOps<tv::KernelOp>())
      if (!laterStages.count(kernel.getSymName().str()))
        addReference(kernel);
  }
  auto noteVariant = [&](auto kernel) {
    // Variants may have variants.
    std::string name = kernel.getSymName().str();
    if (std::optional<StringRef> otherwise = kernel.getOtherwise();
        otherwise && !references.count(otherwise->str()))
      variants[otherwise->str()] = variants.count(name) ? variants[name] : name;
  };
  llvm::for_each(module.getOps<KernelOp>(), noteVariant);
  llvm::for_each(module.getOps<tv::KernelOp>(), noteVariant);
  size_t found = 0, expected = references.size() + variants.size();
  for (Operation &op : *module.getBody())
    if (isa<KernelOp, tv::KernelOp>(op) &&
        !laterStages.count(SymbolTable::getSymbolName(&op).str())) {
      ++found;
      checkKernel(&op, stage);
    }
  if (!failed && found != expected) {
    llvm::outs() << "FAIL " << stage << ": " << found << " kernels of " << expected
                 << " are left\n";
    failed = true;
  }
  if (!failed && options.isVerbose)
    llvm::outs() << "PASS " << stage << "\n";
}

void StageChecker::print(llvm::raw_ostream &os) const {
  for (const auto &[name, reference] : references) {
    const ReferenceResult &result = reference.cases.front().expected;
    for (const auto &[operand, output] : result.outputs)
      if (!output.values.empty())
        os << "@" << name << " " << operand
         << "[0] = " << llvm::format("%.9g\n", output.values.front());
  }
}

//===----------------------------------------------------------------------===//
// Between passes
//===----------------------------------------------------------------------===//

namespace {
struct CheckInstrumentation : PassInstrumentation {
  explicit CheckInstrumentation(StageChecker &checker) : checker(checker) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    // Kernels can be evaluated once quack-specialize, which comes next, has made them
    // concrete.
    if (pass->getArgument() == "quack-expand-elementwise")
      return;
    if (auto module = dyn_cast<ModuleOp>(op))
      checker.check(module, pass->getArgument());
  }
  StageChecker &checker;
};
} // namespace

std::unique_ptr<PassInstrumentation>
check::createCheckInstrumentation(StageChecker &checker) {
  return std::make_unique<CheckInstrumentation>(checker);
}
