//===- OperationTest.cpp - each operation by hand --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table row for each arith and math operation of a row program: operands
// and the result as MLIR defines it, NaN and infinities included.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

#include "gtest/gtest.h"

using namespace quack;
using namespace quack::test;

/// An operation, its operand columns and its result column.
struct OperationRow {
  std::string op; ///< with predicates and such, without operands
  std::vector<Values> operands;
  Values expected;
  std::string type = "f32";
};

static void expectSame(const Values &got, const Values &expected,
                       const std::string &what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    bool isRight =
        std::fabs(got[i] - expected[i]) <= 1e-14 * (1 + std::fabs(expected[i]));
    if (!std::isfinite(expected[i]))
      isRight =
          std::isnan(expected[i]) ? std::isnan(got[i]) : got[i] == expected[i];
    EXPECT_TRUE(isRight) << what << " element " << i << " is " << got[i]
                         << ", expected " << expected[i];
  }
}

static std::string operandList(size_t count) {
  const char *const lists[] = {"", "%a", "%a, %b", "%a, %b, %c"};
  return lists[count];
}

static void check(const OperationRow &row) {
  std::string body = "%r = " + row.op + " " + operandList(row.operands.size()) +
                     " : tensor<Nx" + row.type + ">";
  Outcome outcome = evaluateBody(body, row.operands, row.type, row.type);
  ASSERT_EQ(outcome.error, "") << row.op;
  expectSame(outcome.values(), row.expected, row.op);
}

TEST(OperationTest, floatArithmetic) {
  const OperationRow table[] = {
      {"arith.addf",
       {{1, inf, inf, qnan}, {2, 1, -inf, 1}},
       {3, inf, qnan, qnan}},
      {"arith.subf",
       {{1, inf, inf, -inf}, {2, 1, inf, 1}},
       {-1, inf, qnan, -inf}},
      {"arith.mulf", {{3, inf, 0, -2}, {2, -1, inf, 0.5}}, {6, -inf, qnan, -1}},
      {"arith.divf", {{3, 1, 0, 1}, {2, 0, 0, inf}}, {1.5, inf, qnan, 0}},
      {"arith.negf", {{3, -inf, 0}}, {-3, inf, -0.0}},
      {"math.absf", {{-3, -inf, 2}}, {3, inf, 2}},
      {"math.fma", {{2, inf}, {3, 1}, {4, -inf}}, {10, qnan}},
      {"math.copysign", {{3, -3}, {-0.0, 1}}, {-3, 3}},
      {"arith.maximumf",
       {{1, qnan, 1, -inf}, {2, 1, qnan, -inf}},
       {2, qnan, qnan, -inf}},
      {"arith.minimumf",
       {{1, qnan, 1, inf}, {2, 1, qnan, inf}},
       {1, qnan, qnan, inf}},
      {"arith.maxnumf",
       {{1, qnan, 1, qnan}, {2, 1, qnan, qnan}},
       {2, 1, 1, qnan}},
      {"arith.minnumf",
       {{1, qnan, 3, qnan}, {2, 1, qnan, qnan}},
       {1, 1, 3, qnan}},
  };
  for (const OperationRow &row : table)
    check(row);
}

TEST(OperationTest, elementaryFunctions) {
  const double pi = 3.14159265358979323846;
  const OperationRow table[] = {
      {"math.exp",
       {{0, 1, -inf, inf, qnan}},
       {1, 2.718281828459045, 0, inf, qnan}},
      {"math.exp2", {{0, 3, -1, -inf}}, {1, 8, 0.5, 0}},
      {"math.expm1", {{0, 1, -inf}}, {0, 1.718281828459045, -1}},
      {"math.log",
       {{1, 0, -1, inf, 2}},
       {0, -inf, qnan, inf, 0.6931471805599453}},
      {"math.log2", {{1, 8, 0.5, 0}}, {0, 3, -1, -inf}},
      {"math.log1p", {{0, -1, 1, -2}}, {0, -inf, 0.6931471805599453, qnan}},
      {"math.sqrt", {{4, 0, -1, inf}}, {2, 0, qnan, inf}},
      {"math.rsqrt", {{4, 0, inf, -1}}, {0.5, inf, 0, qnan}},
      {"math.powf", {{2, 0, 3, -2}, {10, 0, -1, 3}}, {1024, 1, 1.0 / 3, -8}},
      {"math.tanh", {{0, inf, 1}}, {0, 1, 0.7615941559557649}},
      {"math.erf", {{0, inf, 1}}, {0, 1, 0.8427007929497149}},
      {"math.sin", {{0, 0.5, inf}}, {0, 0.479425538604203, qnan}},
      {"math.cos", {{0, 0.5, inf}}, {1, 0.8775825618903728, qnan}},
      {"math.floor", {{1.5, -1.5, inf}}, {1, -2, inf}},
      {"math.ceil", {{1.5, -1.5}}, {2, -1}},
      {"math.round", {{2.5, -2.5, 0.5}}, {3, -3, 1}},
      {"math.roundeven", {{2.5, -2.5, 0.5, 3.5}}, {2, -2, 0, 4}},
      {"math.trunc", {{1.5, -1.5}}, {1, -1}},
  };
  for (const OperationRow &row : table)
    check(row);
  EXPECT_NEAR(std::sin(pi / 6), 0.5, 1e-15); // the host's libm is sane
}

TEST(OperationTest, integers) {
  const double least = -2147483648.0;
  const OperationRow table[] = {
      {"arith.addi", {{1, 2147483647}, {2, 1}}, {3, least}, "i32"},
      {"arith.subi", {{1, least}, {2, 1}}, {-1, 2147483647}, "i32"},
      {"arith.muli", {{3, 65536}, {-2, 65536}}, {-6, 0}, "i32"},
      {"arith.andi", {{12, -1}, {10, 7}}, {8, 7}, "i32"},
      {"arith.ori", {{12, -1}, {10, 7}}, {14, -1}, "i32"},
      {"arith.xori", {{12, -1}, {10, 7}}, {6, -8}, "i32"},
      {"arith.shli", {{1, 1}, {4, 31}}, {16, least}, "i32"},
      {"arith.shrsi", {{-16, 16}, {2, 2}}, {-4, 4}, "i32"},
      {"arith.shrui", {{-1, 16}, {28, 2}}, {15, 4}, "i32"},
      {"arith.divsi", {{-7, 7}, {2, 2}}, {-3, 3}, "i32"},
      {"arith.remsi", {{-7, 7}, {2, 2}}, {-1, 1}, "i32"},
      {"arith.divui", {{-1, 7}, {2, 2}}, {2147483647, 3}, "i32"},
      {"arith.remui", {{-1, 7}, {10, 2}}, {5, 1}, "i32"},
      {"arith.maxsi", {{-1, 3}, {2, 1}}, {2, 3}, "i32"},
      {"arith.minsi", {{-1, 3}, {2, 1}}, {-1, 1}, "i32"},
      {"arith.maxui", {{-1, 3}, {2, 1}}, {-1, 3}, "i32"},
      {"arith.minui", {{-1, 3}, {2, 1}}, {2, 1}, "i32"},
  };
  for (const OperationRow &row : table)
    check(row);
}

TEST(OperationTest, undefinedIntegerResultsAreUnknown) {
  const std::pair<std::string, Values> table[] = {
      {"arith.divsi", {0}},  {"arith.remui", {0}}, {"arith.shli", {32}},
      {"arith.shrsi", {-1}}, {"arith.divui", {0}}, {"arith.shrui", {40}},
  };
  for (const auto &[op, right] : table) {
    Outcome outcome = evaluateBody("%r = " + op + " %a, %b : tensor<Nxi32>",
                                   {{7}, right}, "i32", "i32");
    EXPECT_EQ(outcome.bounds()[0], inf) << op;
  }
  Outcome overflow = evaluateBody("%r = arith.divsi %a, %b : tensor<Nxi32>",
                                  {{-2147483648.0}, {-1}}, "i32", "i32");
  EXPECT_EQ(overflow.bounds()[0], inf);
}

TEST(OperationTest, floatComparisons) {
  // Operands: less, equal, greater, unordered.
  const Values a = {1, 2, 3, qnan}, b = {2, 2, 2, 2};
  const std::pair<const char *, Values> table[] = {
      {"false", {0, 0, 0, 0}}, {"oeq", {0, 1, 0, 0}}, {"ogt", {0, 0, 1, 0}},
      {"oge", {0, 1, 1, 0}},   {"olt", {1, 0, 0, 0}}, {"ole", {1, 1, 0, 0}},
      {"one", {1, 0, 1, 0}},   {"ord", {1, 1, 1, 0}}, {"ueq", {0, 1, 0, 1}},
      {"ugt", {0, 0, 1, 1}},   {"uge", {0, 1, 1, 1}}, {"ult", {1, 0, 0, 1}},
      {"ule", {1, 1, 0, 1}},   {"une", {1, 0, 1, 1}}, {"uno", {0, 0, 0, 1}},
      {"true", {1, 1, 1, 1}},
  };
  for (const auto &[predicate, expected] : table) {
    Outcome outcome = evaluateBody("%r = arith.cmpf " + std::string(predicate) +
                                       ", %a, %b : tensor<Nxf32>",
                                   {a, b}, "f32", "i1");
    expectSame(outcome.values(), expected, predicate);
  }
}

TEST(OperationTest, integerComparisons) {
  const Values a = {1, 2, 3, -1}, b = {2, 2, 2, 2};
  const std::pair<const char *, Values> table[] = {
      {"eq", {0, 1, 0, 0}},  {"ne", {1, 0, 1, 1}},  {"slt", {1, 0, 0, 1}},
      {"sle", {1, 1, 0, 1}}, {"sgt", {0, 0, 1, 0}}, {"sge", {0, 1, 1, 0}},
      {"ult", {1, 0, 0, 0}}, {"ule", {1, 1, 0, 0}}, {"ugt", {0, 0, 1, 1}},
      {"uge", {0, 1, 1, 1}},
  };
  for (const auto &[predicate, expected] : table) {
    Outcome outcome = evaluateBody("%r = arith.cmpi " + std::string(predicate) +
                                       ", %a, %b : tensor<Nxi32>",
                                   {a, b}, "i32", "i1");
    expectSame(outcome.values(), expected, predicate);
  }
}

TEST(OperationTest, signedComparisonsOfBoolsSeeMinusOne) {
  Outcome outcome = evaluateBody(R"(
    %zero = arith.constant dense<0.0> : tensor<Nxf32>
    %p = arith.cmpf ogt, %a, %zero : tensor<Nxf32>
    %q = arith.cmpf ogt, %b, %zero : tensor<Nxf32>
    %r = arith.cmpi slt, %p, %q : tensor<Nxi1>)",
                                 {{1, -1, 1}, {-1, 1, 1}}, "f32", "i1");
  ASSERT_EQ(outcome.error, "");
  expectSame(outcome.values(), {1, 0, 0}, "slt");
}

TEST(OperationTest, selectsByElementAndByScalar) {
  Outcome byElement = evaluateBody(R"(
    %p = arith.cmpf olt, %a, %b : tensor<Nxf32>
    %r = arith.select %p, %a, %b : tensor<Nxi1>, tensor<Nxf32>)",
                                   {{1, 5}, {2, 3}});
  expectSame(byElement.values(), {1, 3}, "select by element");
  Outcome byScalar = evaluateBody(R"(
    %t = arith.constant false
    %r = arith.select %t, %a, %b : tensor<Nxf32>)",
                                  {{1, 5}, {2, 3}});
  ASSERT_EQ(byScalar.error, "");
  expectSame(byScalar.values(), {2, 3}, "select by scalar");
}

TEST(OperationTest, conversions) {
  struct Row {
    std::string op, from, to;
    Values operand, expected;
  };
  const Row table[] = {
      {"arith.sitofp", "i32", "f32", {-3, 16777217}, {-3, 16777216}},
      {"arith.uitofp", "i32", "f32", {3, -1}, {3, 4294967296.0}},
      {"arith.fptosi", "f32", "i32", {2.9, -2.9, 0}, {2, -2, 0}},
      {"arith.fptoui", "f32", "i32", {2.9, 4294967040.0}, {2, -256}},
      {"arith.extsi", "i8", "i32", {-3, 127}, {-3, 127}},
      {"arith.extui", "i8", "i32", {-3, 127}, {253, 127}},
      {"arith.trunci", "i32", "i8", {300, -129}, {44, 127}},
      {"arith.extf", "bf16", "f32", {1.5, qnan}, {1.5, qnan}},
      {"arith.truncf",
       "f32",
       "bf16",
       {1.00390625, 1.01171875, inf},
       {1, 1.015625, inf}},
      {"arith.truncf", "f32", "f16", {65519, 65520, 0x1p-25}, {65504, inf, 0}},
      {"arith.bitcast", "f32", "i32", {1, -0.0}, {1065353216, -2147483648.0}},
      {"arith.bitcast", "i32", "f32", {1065353216, 2139095040}, {1, inf}},
  };
  for (const Row &row : table) {
    Outcome outcome =
        evaluateBody("%r = " + row.op + " %a : tensor<Nx" + row.from +
                         "> to tensor<Nx" + row.to + ">",
                     {row.operand}, row.from, row.to);
    ASSERT_EQ(outcome.error, "") << row.op;
    expectSame(outcome.values(), row.expected, row.op + " to " + row.to);
    for (double bound : outcome.bounds())
      EXPECT_EQ(bound, 0.0)
          << row.op << " is exact or rounds as the program says";
  }
}

TEST(OperationTest, floatsThatNoIntegerHoldsAreClamped) {
  const std::pair<std::string, Values> table[] = {
      {"i8", {127, 0, -128, 1, -127}},
      {"i32", {2147483647, 0, -2147483648.0, 1, -127}},
      {"i64", {3e9, 0, -0x1p63, 1, -127}}};
  for (const auto &[type, expected] : table) {
    Outcome outcome = evaluateBody(
        "%r = arith.fptosi %a : tensor<Nxf32> to tensor<Nx" + type + ">",
        {{3e9, qnan, -inf, 1, -127.9}}, "f32", type);
    expectSame(outcome.values(), expected, type);
    EXPECT_EQ(outcome.bounds(), Values(5));
  }
  Outcome outcome =
      evaluateBody("%r = arith.fptoui %a : tensor<Nxf32> to tensor<Nxi8>",
                   {{300, qnan, -3, 127}}, "f32", "i8");
  expectSame(outcome.values(), {-1, 0, 0, 127}, "unsigned");
}

TEST(OperationTest, integersOfUnsureFloatsAreBounded) {
  // The quotient is 3 within an error, and may be cut off to 2.
  Outcome outcome = evaluateBody(R"(
    %q = arith.divf %a, %b : tensor<Nxf32>
    %r = arith.fptosi %q : tensor<Nxf32> to tensor<Nxi8>)",
                                 {{3, 1e9, 3.5}, {1, 1, 1}}, "f32", "i8");
  expectSame(outcome.values(), {3, 127, 3}, "cut off");
  EXPECT_EQ(outcome.bounds(), (Values{1, 0, 0}));
}

TEST(OperationTest, patternsOfUnsureFloatsAreBounded) {
  // Rounds a quotient up to a power of two by its pattern.
  const std::string body = R"(
    %q = arith.divf %a, %b : tensor<Nxf32>
    %bits = arith.bitcast %q : tensor<Nxf32> to tensor<Nxi32>
    %below = arith.constant dense<0x7FFFFF> : tensor<Nxi32>
    %mask = arith.constant dense<-8388608> : tensor<Nxi32>
    %sum = arith.addi %bits, %below : tensor<Nxi32>
    %up = arith.andi %sum, %mask : tensor<Nxi32>
    %r = arith.bitcast %up : tensor<Nxi32> to tensor<Nxf32>)";
  Outcome outcome = evaluateBody(body, {{3, 5, 8}, {1, 10, 2}});
  expectSame(outcome.values(), {4, 0.5, 4}, "up to a power of two");
  // What is a power of two may have come out a little greater.
  EXPECT_EQ(outcome.bounds(), (Values{0, 0.5, 4}));
}

TEST(OperationTest, aNumberIsSurelyNoNaN) {
  Outcome outcome = evaluateBody(R"(
    %q = arith.divf %a, %b : tensor<Nxf32>
    %nan = arith.cmpf uno, %q, %q : tensor<Nxf32>
    %r = arith.select %nan, %b, %a : tensor<Nxi1>, tensor<Nxf32>)",
                                 {{3, 0, 5}, {7, 0, 9}});
  expectSame(outcome.values(), {3, 0, 5}, "select");
  EXPECT_EQ(outcome.bounds(), Values(3));
}

TEST(OperationTest, shiftsOfUnsureIntegersAreBounded) {
  Outcome outcome = evaluateBody(R"(
    %q = arith.divf %a, %b : tensor<Nxf32>
    %i = arith.fptosi %q : tensor<Nxf32> to tensor<Nxi32>
    %three = arith.constant dense<3> : tensor<Nxi32>
    %r = arith.shrsi %i, %three : tensor<Nxi32>)",
                                 {{4, 7, -4}, {1, 1, 1}}, "f32", "i32");
  expectSame(outcome.values(), {0, 0, -1}, "eighths");
  EXPECT_EQ(outcome.bounds(), (Values{0, 1, 0}));
}

TEST(OperationTest, narrowTypesRoundEachOperation) {
  // 1 + 2^-9 is no bf16 number, so the sum is 1 and the difference 0.
  Outcome outcome = evaluateBody(R"(
    %s = arith.addf %a, %b : tensor<Nxbf16>
    %r = arith.subf %s, %a : tensor<Nxbf16>)",
                                 {{1}, {0x1p-9}}, "bf16", "bf16");
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.values()[0], 0.0);
  EXPECT_EQ(outcome.bounds()[0], 0.0);
}

TEST(OperationTest, constants) {
  Outcome outcome = evaluateBody(R"(
    %c = arith.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<Nxf32>
    %d = arith.constant dense<10.0> : tensor<Nxf32>
    %e = arith.addf %c, %d : tensor<Nxf32>
    %r = arith.addf %e, %a : tensor<Nxf32>)",
                                 {{100, 200, 300}});
  ASSERT_EQ(outcome.error, "");
  expectSame(outcome.values(), {111, 212, qnan}, "constants");
}

TEST(OperationTest, refusesWhatItDoesNotKnow) {
  EXPECT_EQ(evaluateBody("%r = math.atan %a : tensor<Nxf32>", {{1}}).error,
            "'math.atan' op has no reference: the evaluator does not know it");
  EXPECT_EQ(
      evaluateBody("%h = arith.bitcast %a : tensor<Nxf16> to tensor<Nxi16>\n"
                   "%r = arith.bitcast %h : tensor<Nxi16> to tensor<Nxf16>",
                   {{1}}, "f16", "f16")
          .error,
      "'arith.bitcast' op has no reference: the evaluator does not know it");
}

TEST(OperationTest, refusesMissingAndMissizedInputs) {
  EXPECT_EQ(evaluateSource(softmaxSource(4), 2, {}).error,
            "'quack.kernel' op operand 'x' is read and must be given to the "
            "evaluator");
  EXPECT_EQ(evaluateSource(softmaxSource(4), 2, {{"x", {{1, 2, 3}}}}).error,
            "'quack.kernel' op operand 'x' must have 8 values for 2 rows of 4 "
            "columns, got 3");
}

TEST(OperationTest, refusesAGenericKernel) {
  const char *source = R"(
    quack.kernel @k(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
      %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
      quack.store %v, %y : tensor<?xf32>, memref<?x?xf32>
    })";
  EXPECT_EQ(evaluateSource(source, 1, {{"x", {{1}}}}).error,
            "'quack.kernel' op must have a static number of columns to be "
            "evaluated: run quack-specialize first");
}
