//===- lib/Cache/CacheKey.cpp - what a result depends on --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A field is the length of its name, the name, the length of its value, the value;
// lengths are 64-bit little-endian.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CacheKey.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace quack;

static void append(std::string &bytes, StringRef text) {
  char length[sizeof(uint64_t)];
  support::endian::write64le(length, text.size());
  bytes.append(length, sizeof(length));
  bytes += text;
}

/// Takes a text off the front of `bytes`; returns whether one is there.
static bool consume(StringRef &bytes, std::string &text) {
  if (bytes.size() < sizeof(uint64_t))
    return false;
  uint64_t length = support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(sizeof(uint64_t));
  if (length > bytes.size())
    return false;
  text = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return true;
}

CacheKey::CacheKey() {
  add("compiler", "quack " QUACK_VERSION);
  add("llvm", LLVM_VERSION_STRING);
}

CacheKey &CacheKey::add(StringRef name, StringRef value) {
  append(encoded, name);
  append(encoded, value);
  return *this;
}

CacheKey &CacheKey::addOptions(ArrayRef<std::pair<StringRef, StringRef>> options) {
  SmallVector<std::pair<StringRef, StringRef>> sorted(options);
  llvm::stable_sort(sorted, llvm::less_first());
  for (auto [name, value] : sorted)
    add(("option " + name).str(), value);
  return *this;
}

std::string CacheKey::digest() const { return digestOf(encoded); }

std::string CacheKey::digestOf(StringRef bytes) {
  return toHex(BLAKE3::hash(arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
}

std::optional<std::vector<CacheKey::Field>> CacheKey::parse(StringRef bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    Field field;
    if (!consume(bytes, field.first) || !consume(bytes, field.second))
      return std::nullopt;
    fields.push_back(std::move(field));
  }
  return fields;
}
