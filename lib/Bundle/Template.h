//===- lib/Bundle/Template.h - text with gaps -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_BUNDLE_TEMPLATE_H
#define QUACK_LIB_BUNDLE_TEMPLATE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace quack::bundle {

/// What a template's gaps are filled with.
struct Filling {
  llvm::StringMap<std::string> values;
  llvm::StringMap<bool> conditions;
};

/// Returns `text` with each @NAME@ replaced by its value, without its first
/// newline, and of what stands between lines `@if CONDITION`, `@else` and
/// `@end` the part that holds. There is a value and a condition for each name.
/// Newlines at a value's end are left out.
std::string fillIn(llvm::StringRef text, const Filling &filling);

} // namespace quack::bundle

#endif // QUACK_LIB_BUNDLE_TEMPLATE_H
