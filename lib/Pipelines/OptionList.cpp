//===- lib/Pipelines/OptionList.cpp - options by name -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks first what LLVM's own parsers would tell stderr.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/OptionList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;

/// Returns what an option must be and is not; empty if there is nothing wrong with it. LLVM's
/// own parsers of numbers would tell stderr.
static std::string findWrong(StringRef name, StringRef value) {
  static constexpr StringLiteral numbers[] = {"columns", "groups", "picks", "ptx-version",
                                              "max-cluster", "rows"};
  int64_t number;
  if (name.empty() || name.find_first_of(" =\"{}") != StringRef::npos || value.contains('"'))
    return "an option must have a name and a value without quotation marks";
  if (llvm::is_contained(numbers, name) && !llvm::to_integer(value, number))
    return "the option must be a number";
  if (name == "dynamic-columns" && value != "true" && value != "false")
    return "the option must be true or false";
  return "";
}

FailureOr<std::string> quack::joinOptions(OptionList options, Location location) {
  std::string text;
  for (auto [name, value] : options) {
    if (std::string wrong = findWrong(name, value); !wrong.empty())
      return emitError(location) << wrong << ", got '" << name << "' = '" << value << "'";
    text += llvm::formatv("{0}=\"{1}\" ", name, value);
  }
  return text;
}

LogicalResult quack::parseOptions(OptionList options, Location location,
                                  PipelineOptions &parsed) {
  FailureOr<std::string> text = joinOptions(options, location);
  if (failed(text))
    return failure();
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (succeeded(parsed.parseFromString(*text, stream)))
    return success();
  return emitError(location) << StringRef(errors).trim();
}
