//===- Launch.cpp - the launch of a report ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user says of a launch is refused here where it makes no sense; what is
// left is what a launcher would be given.
//
//===----------------------------------------------------------------------===//

#include "quack/Report/Launch.h"

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace quack;

/// Returns the entry of `map`, or `otherwise`.
static int64_t lookup(const std::map<std::string, int64_t> &map,
                      const std::string &name, int64_t otherwise) {
  auto found = map.find(name);
  return found == map.end() ? otherwise : found->second;
}

/// Returns the columns that a row of the operand has in memory.
static int64_t columnsOf(const KernelMetadata &kernel,
                         const OperandMetadata &operand) {
  if (operand.hasOwnColumns())
    return operand.columns;
  return operand.role == "scalar" || operand.role == "single" ? 1
                                                              : kernel.columns;
}

/// Returns whether there is one of it for all rows.
static bool isSharedByRows(const OperandMetadata &operand) {
  return operand.role == "columns" || operand.role == "single";
}

static int64_t elementBytes(const OperandMetadata &operand) {
  return getSizeInBytes(parseStorageType(operand.type).value());
}

/// Checks that each name of `map` is that of an operand of one of `roles`.
static Error verifyNames(const KernelMetadata &kernel, StringRef what,
                         const std::map<std::string, int64_t> &map,
                         ArrayRef<StringRef> roles) {
  for (const auto &[name, value] : map) {
    bool isThere = any_of(
        kernel.operands, [&, &name = name](const OperandMetadata &operand) {
          return operand.name == name && is_contained(roles, operand.role);
        });
    if (!isThere)
      return createStringError(what + " names '" + name + "', which is no " +
                               roles.front() + " operand of the kernel");
  }
  return Error::success();
}

static Error verifyOperand(const KernelMetadata &kernel,
                           const OperandMetadata &operand,
                           const DescribedLaunch &launch) {
  bool isInput = operand.direction == "in";
  int64_t least = columnsOf(kernel, operand);
  int64_t stride = lookup(launch.rowStrides, operand.name, least);
  if (stride < least && !(stride == 0 && isInput))
    return createStringError("row stride of operand '" + operand.name +
                             "' must be at least " + Twine(least) +
                             (isInput ? ", or 0 for one row" : "") + ", got " +
                             Twine(stride));
  int64_t offset = lookup(launch.offsets, operand.name, 0);
  if (offset < 0)
    return createStringError("offset of operand '" + operand.name +
                             "' must not be negative, got " + Twine(offset));
  int64_t rows = isSharedByRows(operand) ? 1 : launch.rows;
  if (Error error = checkExtent(rows, std::max(stride, least), offset,
                                elementBytes(operand)))
    return createStringError("operand '" + operand.name + "' " +
                             toString(std::move(error)));
  return Error::success();
}

Error quack::verifyLaunch(const KernelMetadata &kernel,
                          const DescribedLaunch &launch) {
  if (launch.rows == DescribedLaunch::usualRows)
    return createStringError("has no row program that says how many rows there "
                             "are: give --rows=M");
  if (Error error = countCtas(kernel, launch.rows).takeError())
    return error;
  if (Error error = getWorkspaceBytes(kernel, launch.rows).takeError())
    return error;
  if (Error error = verifyNames(kernel, "row stride", launch.rowStrides,
                                {"row", "scalar", "groups", "picks"}))
    return error;
  if (Error error = verifyNames(
          kernel, "offset", launch.offsets,
          {"row", "scalar", "columns", "single", "groups", "picks"}))
    return error;
  for (const OperandMetadata &operand : kernel.operands)
    if (operand.role != "value")
      if (Error error = verifyOperand(kernel, operand, launch))
        return error;
  return Error::success();
}

std::vector<LaunchArgument>
quack::placeOperands(const KernelMetadata &kernel,
                     const DescribedLaunch &launch) {
  std::vector<LaunchArgument> arguments;
  for (const OperandMetadata &operand : kernel.operands) {
    LaunchArgument &argument = arguments.emplace_back();
    if (operand.role == "value")
      continue;
    argument.pointer =
        lookup(launch.offsets, operand.name, 0) * elementBytes(operand);
    if (!isSharedByRows(operand))
      argument.rowStride =
          lookup(launch.rowStrides, operand.name, columnsOf(kernel, operand));
  }
  return arguments;
}
