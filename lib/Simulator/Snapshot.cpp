//===- Snapshot.cpp - what global memory held ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snapshot.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace quack::sim;

Snapshot::Snapshot(ArrayRef<Buffer> buffers) {
  for (const Buffer &buffer : buffers) {
    const char *from = static_cast<const char *>(buffer.data);
    contents.emplace_back(from, from + buffer.bytes);
    written.emplace_back();
    if (buffer.written)
      written.back().assign(buffer.written, buffer.written + buffer.bytes);
  }
}

void Snapshot::restore(ArrayRef<Buffer> buffers) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes)
      std::memcpy(buffers[i].data, contents[i].data(), buffers[i].bytes);
    llvm::copy(written[i], buffers[i].written);
  }
}

uint64_t Snapshot::findChange(ArrayRef<Buffer> buffers) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const char *now = static_cast<const char *>(buffers[i].data);
    auto [then, found] =
        std::mismatch(contents[i].begin(), contents[i].end(), now);
    if (then != contents[i].end())
      return buffers[i].address + uint64_t(found - now);
  }
  return 0;
}
