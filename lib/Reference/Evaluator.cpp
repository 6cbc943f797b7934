//===- Evaluator.cpp - the oracle ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the inputs, makes the outputs and spreads the rows over threads; what
// a row means is in Program.cpp and the operations' files. The result does not
// depend on the number of threads: no value crosses a row.
//
//===----------------------------------------------------------------------===//

#include "quack/Reference/Evaluator.h"

#include "Program.h"

#include <atomic>
#include <thread>

using namespace mlir;
using namespace quack;
using namespace quack::reference;

/// Returns how many elements an operand has.
static int64_t elementCount(const OperandBuffers &operand, int64_t rows,
                            int64_t columns) {
  switch (operand.role) {
  case Role::row:
  case Role::groups:
  case Role::picks:
    return rows * operand.widthOf(columns);
  case Role::columns:
    return columns;
  case Role::scalar:
    return rows;
  case Role::single:
  case Role::value:
    return 1;
  }
  llvm_unreachable("unknown role");
}

std::vector<OperandBuffers> reference::describeOperands(FunctionType type,
                                                        ArrayAttr specs) {
  std::vector<OperandBuffers> operands;
  for (auto [spec, input] :
       llvm::zip(specs.getAsRange<OperandAttr>(), type.getInputs())) {
    OperandBuffers &operand = operands.emplace_back();
    operand.name = spec.getName().getValue().str();
    operand.role = spec.getRole();
    if (hasOwnColumns(operand.role))
      operand.columns = cast<MemRefType>(input).getShape().back();
    operand.isRead = spec.getDirection() != Direction::out;
    operand.isWritten = spec.getDirection() != Direction::in;
  }
  return operands;
}

LogicalResult reference::bindOperands(
    Operation *kernel, std::vector<OperandBuffers> &operands, int64_t rows,
    int64_t columns, const std::map<std::string, ReferenceArray> &inputs,
    ReferenceResult &result) {
  for (OperandBuffers &operand : operands) {
    size_t count = elementCount(operand, rows, columns);
    if (operand.isWritten) {
      auto &output = result.outputs[operand.name].values;
      auto &bound = result.bounds[operand.name].values;
      output.resize(count);
      bound.resize(count);
      operand.output = output.data();
      operand.bound = bound.data();
    }
    if (!operand.isRead)
      continue;
    auto found = inputs.find(operand.name);
    if (found == inputs.end())
      return kernel->emitOpError("operand '")
             << operand.name << "' is read and must be given to the evaluator";
    if (found->second.values.size() != count)
      return kernel->emitOpError("operand '")
             << operand.name << "' must have " << count << " values for "
             << rows << " rows of " << columns << " columns, got "
             << found->second.values.size();
    operand.input = found->second.values.data();
  }
  return success();
}

/// Runs all rows; threads take them in runs.
static void runRows(const Program &program, int64_t rows) {
  constexpr int64_t elementsPerRun = 1 << 14;
  const int64_t run = std::max<int64_t>(1, elementsPerRun / program.columns);
  std::atomic<int64_t> next{0};
  auto work = [&] {
    Frame frame = program.makeFrame();
    for (int64_t begin; (begin = next.fetch_add(run)) < rows;)
      for (frame.row = begin; frame.row < std::min(rows, begin + run);
           ++frame.row)
        program.runRow(frame);
  };
  int64_t runs = (rows + run - 1) / run;
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(cores, runs); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

/// Runs all rows and adds up those that are accumulated: in a fixed number of
/// parts, so that the result does not depend on that of the threads.
static void addRows(const Program &program, int64_t rows, double depth) {
  constexpr int64_t most = 16;
  std::vector<Frame> parts(std::clamp<int64_t>(rows, 1, most),
                           program.makeFrame());
  int64_t count = parts.size();
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t part; (part = next.fetch_add(1)) < count;) {
      Frame &frame = parts[part];
      int64_t end = rows * (part + 1) / count;
      for (frame.row = rows * part / count; frame.row < end; ++frame.row)
        program.runRow(frame);
    }
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1, n = std::thread::hardware_concurrency();
       i < std::min(n, count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  for (const Frame &part : llvm::drop_begin(parts))
    for (auto [total, sum] : llvm::zip(parts.front().sums, part.sums))
      total.add(sum);
  program.storeSums(parts.front(), depth);
}

FailureOr<ReferenceResult>
quack::evaluate(KernelOp kernel, int64_t rows,
                const std::map<std::string, ReferenceArray> &inputs,
                RowSums sums) {
  FailureOr<Program> program = Program::build(kernel);
  if (failed(program))
    return failure();
  ReferenceResult result;
  if (failed(bindOperands(kernel, program->operands, rows, program->columns,
                          inputs, result)))
    return failure();
  if (program->accumulates())
    addRows(*program, rows,
            sums.depth < 0 ? std::max<int64_t>(0, rows - 1) : sums.depth);
  else
    runRows(*program, rows);
  return result;
}
