//===- include/quack/Support/FileIdentity.h - a file's state ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells a program or library from what is installed in its place later, without
// reading it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SUPPORT_FILEIDENTITY_H
#define QUACK_SUPPORT_FILEIDENTITY_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace quack {

/// Returns the path of a file with its size and time of change; empty if there is none.
inline std::string fileIdentity(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "";
  return llvm::formatv("{0}:{1}:{2}", path, status.getSize(),
                       status.getLastModificationTime().time_since_epoch().count());
}

} // namespace quack

#endif // QUACK_SUPPORT_FILEIDENTITY_H
