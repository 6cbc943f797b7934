//===- lib/Run/Verify.cpp - against the evaluator ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on a few million elements at a time, so that neither memory nor the
// first wrong element have to wait for the whole.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Verify.h"

#include "quack/Runtime/Checker.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace mlir;
using namespace quack;

/// What is evaluated at a time.
static constexpr int64_t pieceElements = 1 << 22;

std::vector<int64_t> quack::chooseRows(int64_t rows, int64_t columns,
                                       Thoroughness thoroughness) {
  std::vector<int64_t> chosen;
  if (rows * columns <= thoroughness.all) {
    for (int64_t row = 0; row < rows; ++row)
      chosen.push_back(row);
    return chosen;
  }
  int64_t count = std::clamp<int64_t>(thoroughness.sample / columns, 8, 1024);
  chosen = {0, rows - 1};
  uint64_t state = 1;
  for (int64_t i = 2; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    chosen.push_back(static_cast<int64_t>((state >> 11) % rows));
  }
  llvm::sort(chosen);
  chosen.erase(llvm::unique(chosen), chosen.end());
  return chosen;
}

llvm::Expected<uint64_t> quack::hashOutputs(const cuda::Context &context,
                                            const Operands &operands,
                                            int64_t columns,
                                            Thoroughness thoroughness) {
  uint64_t hash = 0;
  std::vector<char> packed;
  int64_t gapChanges = 0;
  for (const Operand &operand : operands.list)
    for (int64_t row :
         chooseRows(operand.isShared() ? 1 : operands.rows.value_or(0), columns,
                    thoroughness)) {
      if (!operand.isWritten())
        continue;
      if (llvm::Error error =
              fetchRows(context, operand, row, 1, packed, gapChanges))
        return error;
      llvm::StringRef bytes(packed.data(), packed.size());
      hash = hash * 0x9e3779b97f4a7c15u + llvm::xxh3_64bits(bytes);
    }
  return hash;
}

RowSums quack::boundSums(const CompiledJob &compiled, int64_t rows) {
  const KernelMetadata &kernel = compiled.metadata;
  if (kernel.partials == 0)
    return {};
  int64_t tiles = llvm::divideCeil(llvm::divideCeil(rows, kernel.rowsPerTile),
                                   kernel.partials);
  int64_t warps = compiled.document.stagesOf(kernel.name).back()->threads / 32;
  return {tiles * kernel.rowsPerTile +
          int64_t(llvm::divideCeil(kernel.partials, warps)) + warps};
}

/// Rows as runs of consecutive ones: what one copy can fetch.
static std::vector<std::pair<int64_t, int64_t>>
asRuns(llvm::ArrayRef<int64_t> rows) {
  std::vector<std::pair<int64_t, int64_t>> runs;
  for (int64_t row : rows)
    if (!runs.empty() && runs.back().first + runs.back().second == row)
      ++runs.back().second;
    else
      runs.push_back({row, 1});
  return runs;
}

/// Returns the initial values of the rows as the evaluator takes them.
static ReferenceArray gatherInput(const Operand &operand,
                                  llvm::ArrayRef<int64_t> rows) {
  ReferenceArray array;
  if (operand.isValue()) {
    // The kernel sees the scalar as its parameter's type holds it.
    uint64_t word = 0;
    array.values.resize(1);
    narrow(operand.type, &operand.scalar, &word, 1);
    widen(operand.type, &word, array.values.data(), 1);
    return array;
  }
  const int64_t first[] = {0};
  if (operand.isShared())
    rows = first;
  array.values.resize(rows.size() * operand.columns);
  std::vector<char> packed;
  double *to = array.values.data();
  for (auto [begin, count] : asRuns(rows)) {
    packed.resize(count * operand.rowBytes());
    operand.readInitial(begin, count, packed.data());
    widen(operand.type, packed.data(), to, count * operand.columns);
    to += count * operand.columns;
  }
  return array;
}

namespace {
/// What comparing outputs adds up to.
struct Verdict {
  std::map<std::string, CheckReport> reports;
  std::map<std::string, int64_t> gapChanges;
  /// Sums over the rows so far, and their bounds.
  ReferenceResult sums;
};
} // namespace

/// Compares one output's rows with the evaluator's.
static llvm::Error compareOutput(const cuda::Context &context,
                                 const Operand &operand,
                                 llvm::ArrayRef<int64_t> rows,
                                 ReferenceResult &reference, Verdict &verdict) {
  const std::string &name = operand.metadata.name;
  std::vector<char> stored, part;
  for (auto [begin, count] : asRuns(rows)) {
    if (llvm::Error error = fetchRows(context, operand, begin, count, part,
                                      verdict.gapChanges[name]))
      return error;
    stored.insert(stored.end(), part.begin(), part.end());
  }
  CheckInput input;
  input.type = operand.type;
  input.stored = stored.data();
  input.expected = reference.outputs[name].values.data();
  input.bounds = reference.bounds[name].values.data();
  input.rows = rows.size();
  input.columns = operand.columns;
  input.rowNumbers = rows.data();
  verdict.reports[name].merge(checkOutput(input));
  return llvm::Error::success();
}

static void addTo(ReferenceArray &sum, const ReferenceArray &array) {
  sum.values.resize(array.values.size());
  for (auto [to, value] : llvm::zip_equal(sum.values, array.values))
    to += value;
}

/// Evaluates `rows`, compares what is stored for each and adds up the rest.
static llvm::Error compareRows(const cuda::Context &context, KernelOp kernel,
                               const Operands &operands,
                               llvm::ArrayRef<int64_t> rows, RowSums sums,
                               Verdict &verdict) {
  std::map<std::string, ReferenceArray> inputs;
  for (const Operand &operand : operands.list)
    if (operand.isRead())
      inputs[operand.metadata.name] = gatherInput(operand, rows);
  std::string diagnostics;
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &diagnostic) {
        llvm::raw_string_ostream(diagnostics) << diagnostic;
        return success();
      });
  FailureOr<ReferenceResult> reference =
      evaluate(kernel, rows.size(), inputs, sums);
  if (failed(reference))
    return llvm::createStringError("evaluator: " + diagnostics);
  for (const Operand &operand : operands.list) {
    const std::string &name = operand.metadata.name;
    if (operand.isWritten() && operand.isShared()) {
      addTo(verdict.sums.outputs[name], reference->outputs[name]);
      addTo(verdict.sums.bounds[name], reference->bounds[name]);
    } else if (operand.isWritten()) {
      if (llvm::Error error =
              compareOutput(context, operand, rows, *reference, verdict))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> quack::verifyOutputs(const cuda::Context &context,
                                                 KernelOp kernel,
                                                 const Operands &operands,
                                                 RowSums sums,
                                                 Thoroughness thoroughness) {
  int64_t columns = kernel.getColumns(), rows = operands.rows.value_or(0);
  auto isSum = [](const Operand &operand) {
    return operand.isWritten() && operand.isShared();
  };
  bool hasSums = llvm::any_of(operands.list, isSum);
  std::vector<int64_t> chosen;
  if (hasSums)
    llvm::append_range(chosen, llvm::seq(rows));
  else
    chosen = chooseRows(rows, columns, thoroughness);
  if (hasSums && sums.depth < 0)
    sums.depth = rows;
  int64_t perPiece = std::max<int64_t>(1, pieceElements / columns);
  Verdict verdict;
  llvm::ArrayRef<int64_t> rest = chosen;
  // Sums over no rows are checked, too.
  for (bool isFirst = hasSums; isFirst || !rest.empty(); isFirst = false) {
    llvm::ArrayRef<int64_t> piece =
        rest.take_front(std::min<int64_t>(perPiece, rest.size()));
    rest = rest.drop_front(piece.size());
    if (llvm::Error error =
            compareRows(context, kernel, operands, piece, sums, verdict))
      return error;
  }
  for (const Operand &operand : operands.list)
    if (isSum(operand))
      if (llvm::Error error = compareOutput(context, operand, /*rows=*/{0},
                                            verdict.sums, verdict))
        return error;
  llvm::Expected<std::string> faults = findGuardChanges(context, operands);
  if (!faults)
    return faults.takeError();
  std::string details;
  for (const auto &[name, report] : verdict.reports) {
    details += "; " + name + ": " + report.text();
    if (!report.isGood())
      *faults +=
          (faults->empty() ? "" : "; ") + ("wrong values in '" + name + "'");
  }
  for (const auto &[name, changes] : verdict.gapChanges)
    if (changes != 0)
      *faults += (faults->empty() ? "" : "; ") + std::to_string(changes) +
                 " bytes written between the rows of '" + name + "'";
  std::string scope = std::to_string(chosen.size()) + " of " +
                      std::to_string(rows) + " rows checked";
  return (faults->empty() ? "ok, " : "bad, " + *faults + ", ") + scope +
         details;
}
