//===- tools/quack-check/Inputs.cpp - what kernels are checked on -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is a function of its number, the operand's name and the seed.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "quack/Support/FloatFormat.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <limits>

using namespace mlir;
using namespace quack;
using namespace quack::check;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

template <typename Kernel> static Signature signatureOf(Kernel kernel) {
  Signature signature;
  signature.columns = kernel.getColumns();
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(argument.getArgNumber());
    if (spec.getPresence() == Presence::absent)
      continue;
    auto memref = dyn_cast<MemRefType>(argument.getType());
    bool isWide = memref && !isOneNumber(spec.getRole());
    signature.operands.push_back({spec.getName().str(), spec.getRole(),
                                  spec.getDirection(),
                                  getElementTypeOrSelf(argument.getType()),
                                  isWide ? memref.getShape().back() : 1});
  }
  return signature;
}

Signature Signature::of(KernelOp kernel) { return signatureOf(kernel); }
Signature Signature::of(tv::KernelOp kernel) { return signatureOf(kernel); }

double check::toStorage(Type type, double number) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() >= 64)
      return number;
    return static_cast<double>(
        llvm::SignExtend64(static_cast<uint64_t>(static_cast<int64_t>(number)),
                           integer.getWidth()));
  }
  if (type.isF64())
    return number;
  FloatFormat format = type.isBF16()                 ? FloatFormat::bf16
                       : type.isF16()                ? FloatFormat::f16
                       : isa<Float8E4M3FNType>(type) ? FloatFormat::f8E4M3FN
                       : isa<Float8E5M2Type>(type)   ? FloatFormat::f8E5M2
                                                     : FloatFormat::f32;
  return roundTo(format, number);
}

/// Returns a word of SplitMix64.
static uint64_t splitMix(uint64_t state) {
  uint64_t z = state + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Returns a float within 4 of 0, an integer within 100.
static double randomNumber(Type type, uint64_t word) {
  if (isa<IntegerType>(type))
    return static_cast<double>(word % 201) - 100;
  double uniform = static_cast<double>(word >> 11) * 0x1p-53;
  return (uniform - 0.5) * 8;
}

/// How many kinds of special rows there are.
static constexpr int64_t specialKinds = 15;

/// Returns what element `column` of `columns` is in a special row of `kind`;
/// `random` is what it is in an ordinary one.
static double specialNumber(int64_t kind, int64_t column, int64_t columns,
                            double random) {
  switch (kind) {
  case 1: // fully masked
    return -infinity;
  case 2: // one finite value, first or last
    return column == 0 ? 0.0 : -infinity;
  case 3:
    return column == columns - 1 ? 0.0 : -infinity;
  case 4: // few finite values
    return column % 100 == 0 ? random : -infinity;
  case 5: // one +inf
    return column == columns / 2 ? infinity : random;
  case 6: // one NaN, late or early
    return column == columns - 1 ? notANumber : random;
  case 7:
    return column == columns / 3 ? notANumber : random;
  case 8: // large offsets
    return 1e4 + random;
  case 9:
    return 1e8;
  case 10:
    return -3e38;
  case 11:
    return 0.0;
  case 12: // a row of +inf and -inf
    return column % 2 ? infinity : -infinity;
  case 13: // numbers whose sums have no finite or no normal reciprocal
    return 1e33 * random;
  case 14:
    return 1e-35 * random;
  default:
    return random;
  }
}

Inputs check::makeInputs(const Signature &kernel, int64_t rows,
                         const InputOptions &options) {
  Inputs inputs;
  for (auto [index, operand] : llvm::enumerate(kernel.operands)) {
    if (operand.direction == Direction::out)
      continue;
    Role role = operand.role;
    bool ofRows = !isSharedByRows(role) && role != Role::value;
    int64_t height = ofRows ? rows : 1, width = operand.columns;
    bool isSpecial = options.hasSpecials && isa<FloatType>(operand.storage) &&
                     (role == Role::row || role == Role::scalar);
    uint64_t seed = splitMix(options.seed ^ llvm::xxh3_64bits(operand.name));
    std::vector<double> &values = inputs[operand.name].values;
    for (int64_t row = 0; row < height; ++row) {
      // Operands are special in different rows.
      int64_t kind = isSpecial ? (row + 5 * index) % specialKinds : 0;
      for (int64_t column = 0; column < width; ++column) {
        double random =
            randomNumber(operand.storage, splitMix(seed + values.size()));
        values.push_back(toStorage(operand.storage,
                                   specialNumber(kind, column, width, random)));
      }
    }
  }
  return inputs;
}
