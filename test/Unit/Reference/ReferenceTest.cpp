//===- ReferenceTest.cpp - kernels for the evaluator's tests ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of ReferenceTest.h.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;
using namespace quack::test;

Outcome test::evaluateSource(const std::string &source, int64_t rows,
                             const Inputs &inputs) {
  Outcome outcome;
  MLIRContext context;
  context.loadDialect<QuackDialect, arith::ArithDialect, math::MathDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(outcome.error) << diagnostic;
    return success();
  });
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return outcome;
  auto kernels = module->getOps<KernelOp>();
  FailureOr<ReferenceResult> result = evaluate(*kernels.begin(), rows, inputs);
  if (succeeded(result))
    outcome.result = std::move(*result);
  return outcome;
}

Outcome test::evaluateBody(const std::string &body,
                           const std::vector<Values> &inputs,
                           const std::string &inputType,
                           const std::string &resultType) {
  // i1 has no storage: such a result is stored as the i32 0 or 1.
  bool isBool = resultType == "i1";
  // f64 has no storage either: it is rounded to f32.
  bool isDouble = resultType == "f64";
  std::string stored = isBool ? "i32" : isDouble ? "f32" : resultType;
  std::string source = "quack.kernel @k(", loads;
  Inputs arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name(1, static_cast<char>('a' + i));
    std::string memref = "memref<?xNx" + inputType + ">";
    source += "%m" + name + ": " + memref + " in row, ";
    loads += "%" + name + " = quack.load %m" + name + " : " + memref +
             " -> tensor<Nx" + inputType + ">\n";
    arrays["m" + name].values = inputs[i];
  }
  source += "%y: memref<?xNx" + stored + "> out row) {\n" + loads + body + "\n";
  if (isBool)
    source += "%stored = arith.extui %r : tensor<Nxi1> to tensor<Nxi32>\n";
  source += "quack.store " + std::string(isBool ? "%stored" : "%r") +
            ", %y : tensor<Nx" + (isBool ? "i32" : resultType) +
            ">, memref<?xNx" + stored + ">\n}\n";
  return evaluateSource(withColumns(source, inputs[0].size()), /*rows=*/1,
                        arrays);
}

std::string test::withColumns(std::string source, int64_t columns) {
  for (const char *form : {"<N", "xN"})
    for (size_t at;
         (at = source.find(std::string(form) + "x")) != std::string::npos;)
      source.replace(at + 1, 1, std::to_string(columns));
  return source;
}

/// The part of softmax and its kin up to the sum of the exponentials.
static const char *const exponentials = R"(
  %v = quack.load %x : memref<?xNxf32> -> tensor<Nxf32>
  %m = quack.reduce maximumf %v : tensor<Nxf32> -> f32
  %mr = quack.broadcast %m : f32 -> tensor<Nxf32>
  %d = arith.subf %v, %mr : tensor<Nxf32>
  %e = math.exp %d : tensor<Nxf32>
  %s = quack.reduce addf %e : tensor<Nxf32> -> f32
)";

std::string test::softmaxSource(int64_t columns) {
  return withColumns(std::string(R"(
quack.kernel @softmax(%x: memref<?xNxf32> in row, %y: memref<?xNxf32> out row) {)") +
                         exponentials + R"(
  %sr = quack.broadcast %s : f32 -> tensor<Nxf32>
  %p = arith.divf %e, %sr : tensor<Nxf32>
  quack.store %p, %y : tensor<Nxf32>, memref<?xNxf32>
})",
                     columns);
}

std::string test::logSoftmaxSource(int64_t columns) {
  return withColumns(std::string(R"(
quack.kernel @log_softmax(%x: memref<?xNxf32> in row, %y: memref<?xNxf32> out row) {)") +
                         exponentials + R"(
  %l = math.log %s : f32
  %lr = quack.broadcast %l : f32 -> tensor<Nxf32>
  %p = arith.subf %d, %lr : tensor<Nxf32>
  quack.store %p, %y : tensor<Nxf32>, memref<?xNxf32>
})",
                     columns);
}

std::string test::logsumexpSource(int64_t columns) {
  // A row of nothing but -inf has the shift 0, so that its result is -inf.
  return withColumns(R"(
quack.kernel @logsumexp(%x: memref<?xNxf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?xNxf32> -> tensor<Nxf32>
  %m = quack.reduce maximumf %v : tensor<Nxf32> -> f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %abs = math.absf %m : f32
  %finite = arith.cmpf one, %abs, %inf : f32
  %shift = arith.select %finite, %m, %zero : f32
  %mr = quack.broadcast %shift : f32 -> tensor<Nxf32>
  %d = arith.subf %v, %mr : tensor<Nxf32>
  %e = math.exp %d : tensor<Nxf32>
  %t = quack.reduce addf %e : tensor<Nxf32> -> f32
  %l = math.log %t : f32
  %r = arith.addf %l, %shift : f32
  quack.store %r, %s : f32, memref<?xf32>
})",
                     columns);
}

std::string test::reduceSource(const std::string &kind, int64_t columns,
                               const std::string &init) {
  std::string type = kind.back() == 'f' ? "f32" : "i32";
  std::string text = R"(
quack.kernel @reduce(%x: memref<?xNxTYPE> in row, %s: memref<?xTYPE> out scalar) {
  %v = quack.load %x : memref<?xNxTYPE> -> tensor<NxTYPE>
)";
  if (!init.empty())
    text += "  %init = arith.constant " + init + " : TYPE\n";
  text += "  %r = quack.reduce " + kind + " %v " +
          (init.empty() ? "" : "init %init ") +
          R"(: tensor<NxTYPE> -> TYPE
  quack.store %r, %s : TYPE, memref<?xTYPE>
})";
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, type);
  return withColumns(text, columns);
}
