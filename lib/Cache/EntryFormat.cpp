//===- lib/Cache/EntryFormat.cpp - an entry as bytes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing of a file is believed before its hash is right.
//
//===----------------------------------------------------------------------===//

#include "EntryFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace quack;

// As PNG's: a transfer that takes the file for text breaks it.
static constexpr StringLiteral magic("\x89Qck\r\n\x1a\n");
static constexpr uint64_t version = 1;
static constexpr size_t partCount = 5;
static_assert(magic.size() == entryVersionOffset &&
              entryVersionOffset + 8 * (1 + partCount) == entryHashOffset &&
              entryHashOffset + LLVM_BLAKE3_OUT_LEN == entryHeaderBytes);

static void append(std::string &bytes, uint64_t number) {
  char encoded[sizeof(number)];
  support::endian::write64le(encoded, number);
  bytes.append(encoded, sizeof(encoded));
}

std::string quack::hashEntry(StringRef bytes) {
  BLAKE3 hasher;
  hasher.update(bytes.take_front(entryHashOffset));
  hasher.update(bytes.drop_front(entryHeaderBytes));
  return toStringRef(hasher.final()).str();
}

std::string quack::encodeEntry(StringRef key, const CompiledKernels &kernels) {
  StringRef parts[partCount] = {key, kernels.ptx, kernels.metadata, toStringRef(kernels.cubin),
                                kernels.cubinMadeBy};
  std::string bytes(magic);
  append(bytes, version);
  for (StringRef part : parts)
    append(bytes, part.size());
  bytes.resize(entryHeaderBytes);
  for (StringRef part : parts)
    bytes += part;
  bytes.replace(entryHashOffset, LLVM_BLAKE3_OUT_LEN, hashEntry(bytes));
  return bytes;
}

Expected<CacheEntry> quack::decodeEntry(StringRef bytes) {
  if (!bytes.starts_with(magic.take_front(bytes.size())))
    return createStringError("not a file of the cache");
  if (bytes.size() < entryHeaderBytes)
    return createStringError("truncated: " + Twine(bytes.size()) + " bytes");
  const char *numbers = bytes.data() + entryVersionOffset;
  if (uint64_t found = support::endian::read64le(numbers); found != version)
    return createStringError("format version " + Twine(found) + ", expected " + Twine(version));
  uint64_t sizes[partCount], left = bytes.size() - entryHeaderBytes;
  for (auto [index, size] : enumerate(sizes)) {
    size = support::endian::read64le(numbers + 8 * (1 + index));
    if (size > left)
      return createStringError("truncated: " + Twine(bytes.size()) + " bytes");
    left -= size;
  }
  if (left)
    return createStringError(Twine(left) + " bytes too many");
  if (bytes.substr(entryHashOffset, LLVM_BLAKE3_OUT_LEN) != hashEntry(bytes))
    return createStringError("damaged: the hash is wrong");
  StringRef rest = bytes.drop_front(entryHeaderBytes);
  auto take = [&](uint64_t size) {
    StringRef part = rest.take_front(size);
    rest = rest.drop_front(size);
    return part;
  };
  CacheEntry entry;
  entry.key = take(sizes[0]);
  entry.kernels.ptx = take(sizes[1]);
  entry.kernels.metadata = take(sizes[2]);
  StringRef cubin = take(sizes[3]);
  entry.kernels.cubin.assign(cubin.bytes_begin(), cubin.bytes_end());
  entry.kernels.cubinMadeBy = take(sizes[4]);
  return entry;
}
