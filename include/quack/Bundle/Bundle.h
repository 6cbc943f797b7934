//===- include/quack/Bundle/Bundle.h - kernels as C source ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels as files that need nothing of this project: PTX, a cubin
// where there is one, JSON metadata, and a header and a C99 file with a
// function for each kernel that checks arguments, picks the variant and
// launches. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BUNDLE_BUNDLE_H
#define QUACK_BUNDLE_BUNDLE_H

#include "quack/Target/KernelMetadata.h"

#include <string>
#include <vector>

namespace quack {

/// What a bundle is made of.
struct BundleParts {
  std::string ptx;
  std::string cubin; ///< of `ptx`; empty if there is none
  ModuleMetadata metadata;
  /// A C identifier: the files are NAME.c and so on, and functions NAME_launch,
  /// or NAME_<kernel>_launch where there are several kernels. If it is empty,
  /// names are made of the kernels', their columns and types:
  /// softmax_4096_bf16.
  std::string name;
};

/// A file of a bundle.
struct BundleFile {
  std::string name; ///< without a folder
  std::string contents;
};

/// Returns the files of a bundle; the same for the same parts, byte by byte.
/// Refuses a name that is no C identifier, and metadata without a kernel to
/// launch or whose kernels name others that are not there or not alike.
llvm::Expected<std::vector<BundleFile>> makeBundle(const BundleParts &parts);

/// Writes `files` into `folder`, which is made if its parent exists. Files of
/// the same names are replaced, each at once.
llvm::Error writeBundle(llvm::ArrayRef<BundleFile> files,
                        llvm::StringRef folder);

} // namespace quack

#endif // QUACK_BUNDLE_BUNDLE_H
