//===- include/quack/Pipelines/OptionList.h - options by name ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options as an API has them, names with values, for passes and pipelines, which
// parse one line.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PIPELINES_OPTIONLIST_H
#define QUACK_PIPELINES_OPTIONLIST_H

#include "quack/Pipelines/Pipelines.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace quack {

/// Names and values; of a name that is there twice the last value counts.
using OptionList = llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>>;

/// Returns the options as a pass or a pipeline parses them; an error at `location` if they
/// cannot be written so, or one that is a number or a truth value has no such value.
mlir::FailureOr<std::string> joinOptions(OptionList options, mlir::Location location);

/// Sets what `options` say in `parsed`; an error at `location` if a pipeline has no such
/// option, or not with such a value.
mlir::LogicalResult parseOptions(OptionList options, mlir::Location location,
                                 PipelineOptions &parsed);

} // namespace quack

#endif // QUACK_PIPELINES_OPTIONLIST_H
