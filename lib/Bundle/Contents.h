//===- lib/Bundle/Contents.h - what a bundle has ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle's kernels under their C names, and the generated parts of its text.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_BUNDLE_CONTENTS_H
#define QUACK_LIB_BUNDLE_CONTENTS_H

#include "quack/Bundle/Bundle.h"

namespace quack::bundle {

/// An operand as a parameter of a C function.
struct Parameter {
  const OperandMetadata *operand;
  std::string name;
  std::string rowStride; ///< empty where there is none

  bool isValue() const { return operand->role == "value"; }
  bool isShared() const; ///< all rows have the one
  bool isWritten() const { return operand->direction != "in"; }
  /// Returns the elements of a row.
  int64_t columns(const KernelMetadata &kernel) const;
  unsigned elementBytes() const;
  /// Returns the C type of a value.
  std::string valueType() const;
};

/// A kernel that the header offers.
struct Source {
  std::string name; ///< functions begin with it
  std::vector<const KernelMetadata *> variants;
  std::vector<Parameter> parameters;
  bool hasWorkspace = false;

  const KernelMetadata &kernel() const { return *variants.front(); }
};

struct Contents {
  const BundleParts *parts;
  std::string name; ///< of the files
  std::vector<Source> sources;
  std::vector<std::string> constants; ///< of the module's kernels, in order
  bool hasWorkspace = false;

  static llvm::Expected<Contents> create(const BundleParts &parts);
  /// Returns the constant that stands for the kernel called `name`.
  const std::string &constantOf(llvm::StringRef name) const;
};

/// Returns the declarations of a kernel's functions, with what they do.
std::string declareSource(const Source &source);
/// Returns the parameters of a kernel's launch, as C declares them.
std::vector<std::string> declareParameters(const Source &source);
/// Returns the parameters, broken into lines of at most 96 columns after
/// `head`.
std::string joinParameters(llvm::StringRef head,
                           llvm::ArrayRef<std::string> parameters);

/// Returns the tables of kernels and operands.
std::string defineTables(const Contents &contents);
/// Returns the definitions of a kernel's functions.
std::string defineSource(const Source &source, bool takesWorkspace);

/// Returns `text` in pieces that each C compiler takes as a string: its lines.
std::vector<llvm::StringRef> splitLines(llvm::StringRef text);
/// Returns the elements of an array of C strings.
std::string listLines(llvm::ArrayRef<llvm::StringRef> lines);
/// Returns the elements of an array of bytes.
std::string listBytes(llvm::StringRef bytes);
/// Returns `text` as a C string.
std::string quote(llvm::StringRef text);

} // namespace quack::bundle

#endif // QUACK_LIB_BUNDLE_CONTENTS_H
