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
    return rows * columns;
  case Role::columns:
    return columns;
  case Role::scalar:
    return rows;
  case Role::value:
    return 1;
  }
  llvm_unreachable("unknown role");
}

std::vector<OperandBuffers> reference::describeOperands(ArrayAttr specs) {
  std::vector<OperandBuffers> operands;
  for (OperandAttr spec : specs.getAsRange<OperandAttr>()) {
    OperandBuffers &operand = operands.emplace_back();
    operand.name = spec.getName().getValue().str();
    operand.role = spec.getRole();
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

FailureOr<ReferenceResult>
quack::evaluate(KernelOp kernel, int64_t rows,
                const std::map<std::string, ReferenceArray> &inputs) {
  FailureOr<Program> program = Program::build(kernel);
  if (failed(program))
    return failure();
  ReferenceResult result;
  if (failed(bindOperands(kernel, program->operands, rows, program->columns,
                          inputs, result)))
    return failure();
  runRows(*program, rows);
  return result;
}
