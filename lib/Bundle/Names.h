//===- lib/Bundle/Names.h - C names of kernels ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_BUNDLE_NAMES_H
#define QUACK_LIB_BUNDLE_NAMES_H

#include "quack/Target/KernelMetadata.h"

#include "llvm/ADT/StringSet.h"

namespace quack::bundle {

/// Names of one scope.
class Scope {
public:
  Scope() = default;
  /// A scope in which these names are taken.
  explicit Scope(llvm::ArrayRef<llvm::StringRef> names);

  /// Returns a C identifier that is not taken, and takes it: `name` where it is
  /// one, else with '_' for each other character, and '_' after it until it is
  /// free.
  std::string add(llvm::StringRef name);

private:
  llvm::StringSet<> taken;
};

/// Returns whether C and C++ programs may have `name` as a function's first
/// part.
bool isIdentifier(llvm::StringRef name);

/// Returns the names of a function's parameters and locals, before there are
/// any operands: whatever a C or C++ program or this bundle reads in another
/// way.
Scope makeParameterScope();

/// Returns the kernel's name, columns and types, joined by '_':
/// softmax_4096_bf16, cross_entropy_32000_bf16_i64_f32, topk_128_4_f32_i32.
std::string describeInName(const KernelMetadata &kernel);

} // namespace quack::bundle

#endif // QUACK_LIB_BUNDLE_NAMES_H
