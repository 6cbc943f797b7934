//===- LaunchRules.cpp - what launches must be -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that can be wrong with a launch is refused here, by name, before
// the GPU would fault or, worse, not fault.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/LaunchRules.h"

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace llvm;
using namespace quack;

/// Beyond this no GPU has addresses.
static constexpr int64_t maxArrayBytes = int64_t(1) << 47;

Expected<int64_t> quack::countCtas(const KernelMetadata &kernel, int64_t rows) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (rows < 0)
    return createStringError("the number of rows must not be negative, got " +
                             Twine(rows));
  if (kernel.ctas > 0)
    return kernel.ctas;
  int64_t tiles =
      rows / kernel.rowsPerTile + (rows % kernel.rowsPerTile != 0 ? 1 : 0);
  int64_t ctas = kernel.cluster * kernel.split;
  if (tiles <= most / ctas)
    return tiles * ctas;
  return createStringError(
      Twine(rows) + " rows need more than the " + Twine(most) +
      " CTAs of a grid (" + Twine(kernel.rowsPerTile) + " rows a tile, " +
      (kernel.split > 1 ? Twine(kernel.split) + " clusters a row, " : Twine()) +
      "clusters of " + Twine(kernel.cluster) + ")");
}

Expected<int64_t> quack::getWorkspaceBytes(const KernelMetadata &kernel,
                                           int64_t rows) {
  int64_t bytes;
  if (llvm::MulOverflow(std::max<int64_t>(rows, 0), kernel.workspaceBytes,
                        bytes) ||
      llvm::AddOverflow(bytes, kernel.fixedWorkspaceBytes, bytes))
    return createStringError(Twine(rows) + " rows of " +
                             Twine(kernel.workspaceBytes) +
                             " bytes of workspace are too many for any memory");
  return bytes;
}

Error quack::checkExtent(int64_t rows, int64_t rowStride, int64_t offset,
                         int64_t elementBytes) {
  int64_t elements = 0, bytes = 0;
  if (!llvm::MulOverflow(rows, rowStride, elements) &&
      !llvm::AddOverflow(elements, offset, elements) &&
      !llvm::MulOverflow(elements, elementBytes, bytes) &&
      bytes <= maxArrayBytes)
    return Error::success();
  return createStringError("is too large for any memory: " + Twine(rows) +
                           " rows, " + Twine(rowStride) +
                           " elements apart, from element " + Twine(offset) +
                           " on");
}

std::string quack::violatedGuard(const KernelMetadata &kernel,
                                 ArrayRef<LaunchArgument> arguments,
                                 int64_t rows) {
  if (rows == 0 && kernel.ctas == 0)
    return "";
  // What a variant takes needs no other plan.
  bool isLast = kernel.otherwise.empty();
  if (rows > 0 && rows < kernel.leastRows)
    return ("M must be at least " + Twine(kernel.leastRows) + ", got " +
            Twine(rows) +
            (isLast ? "; without the pin 'least_rows' the kernel takes any"
                    : ""))
        .str();
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments)) {
    // Without rows, only sums over them are accessed.
    if (operand.role == "value" ||
        (rows == 0 && operand.role != "columns" && operand.role != "single"))
      continue;
    std::optional<StorageType> type = parseStorageType(operand.type);
    if (!type)
      return "operand '" + operand.name + "' has the unknown type " +
             operand.type;
    uint64_t alignment = operand.alignmentBytes, bytes = getSizeInBytes(*type);
    auto describe = [&, &name = operand.name](StringRef what,
                                              const Twine &got) {
      std::string text =
          ("the " + what + " of operand '" + name + "' must be a multiple of " +
           Twine(alignment) + " bytes, got " + got)
              .str();
      if (isLast && alignment > bytes)
        text += "; the pin 'alignment = element' makes a kernel that takes any "
                "multiple of " +
                std::to_string(bytes);
      return text;
    };
    if (argument.pointer % alignment != 0)
      return describe("address", "0x" + Twine::utohexstr(argument.pointer));
    uint64_t strideBytes = uint64_t(argument.rowStride) * bytes;
    if (operand.role == "row" && strideBytes % alignment != 0)
      return describe("row stride", Twine(int64_t(strideBytes)) + " (" +
                                        Twine(argument.rowStride) +
                                        " elements of " + operand.type + ")");
  }
  return "";
}

Error quack::checkGuards(const KernelMetadata &kernel,
                         ArrayRef<LaunchArgument> arguments, int64_t rows) {
  if (arguments.size() != kernel.operands.size())
    return createStringError("kernel '" + kernel.name + "': takes " +
                             Twine(kernel.operands.size()) + " operands, got " +
                             Twine(arguments.size()));
  std::string violated = violatedGuard(kernel, arguments, rows);
  if (violated.empty())
    return Error::success();
  return createStringError("kernel '" + kernel.name + "': " + violated);
}

Expected<const KernelMetadata *>
quack::chooseVariant(ArrayRef<const KernelMetadata *> variants,
                     ArrayRef<LaunchArgument> arguments, int64_t rows) {
  Error error = createStringError("there is no kernel to launch");
  for (const KernelMetadata *variant : variants) {
    consumeError(std::move(error));
    error = checkGuards(*variant, arguments, rows);
    if (!error)
      return variant;
  }
  return error;
}
