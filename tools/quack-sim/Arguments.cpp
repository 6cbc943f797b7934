//===- tools/quack-sim/Arguments.cpp - a kernel's arguments ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;
using namespace quack;

/// Buffers lie a terabyte apart: what misses one hits none.
static constexpr uint64_t bufferDistance = 1ull << 40;

Arguments::Memory &Arguments::addMemory(std::vector<char> data) {
  Memory memory;
  memory.data = std::move(data);
  memory.address = bufferDistance * (memories.size() + 1);
  words.push_back(memory.address);
  memories.push_back(std::move(memory));
  return memories.back();
}

Error Arguments::addNumber(StringRef kind, StringRef text) {
  static constexpr std::pair<StringLiteral, unsigned> kinds[] = {
      {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"f32", 4}, {"f64", 8}};
  unsigned bytes = 0;
  for (const auto &[name, size] : kinds)
    if (name == kind)
      bytes = size;
  sizes[unsigned(words.size())] = bytes;
  if (kind.starts_with("f")) {
    double number;
    if (text.empty() || !to_float(text, number))
      return createStringError("expected a number, got '" + kind + ":" + text +
                               "'");
    if (kind == "f32" && std::isinf(float(number)) && !std::isinf(number))
      return createStringError("expected a number of 32 bits, got '" + kind + ":" +
                               text + "'");
    words.push_back(kind == "f32" ? bit_cast<uint32_t>(float(number))
                                  : bit_cast<uint64_t>(number));
    return Error::success();
  }
  int64_t number = 0;
  uint64_t natural = 0;
  // Signed or not: as much as its bits hold.
  if (to_integer(text, number) && isIntN(8 * bytes, number))
    words.push_back(uint64_t(number));
  else if (to_integer(text, natural) && isUIntN(8 * bytes, natural))
    words.push_back(natural);
  else
    return createStringError("expected an integer of " + Twine(8 * bytes) +
                             " bits, got '" + kind + ":" + text + "'");
  return Error::success();
}

/// More memory than that is a mistake.
static constexpr uint64_t mostBytes = 1ull << 36;

/// file:type:shape
Error Arguments::addOutput(StringRef kind, StringRef text) {
  SmallVector<StringRef, 4> parts;
  text.split(parts, ':');
  if (parts.size() != 3 || parts[0].empty())
    return createStringError("expected " + kind + ":file.npy:type:RxC, got '" +
                             kind + ":" + text + "'");
  std::optional<StorageType> type = parseStorageType(parts[1]);
  if (!type)
    return createStringError("expected one of the types f32, f16, bf16, i8, "
                             "i32 and i64, got '" +
                             parts[1] + "' in '" + kind + ":" + text + "'");
  std::vector<int64_t> shape;
  int64_t elements = 1;
  SmallVector<StringRef, 4> extents;
  parts[2].split(extents, 'x');
  for (StringRef extent : extents) {
    int64_t value;
    if (!to_integer(extent, value) || value < 0)
      return createStringError("expected a shape such as 64x4096, got '" +
                               parts[2] + "'");
    shape.push_back(value);
    if (MulOverflow(elements, value, elements) ||
        uint64_t(elements) > mostBytes / getSizeInBytes(*type))
      return createStringError("'" + parts[2] + "' is more than 64 GiB");
  }
  if (Error error = checkWritable(parts[0]))
    return error;
  Memory &memory =
      addMemory(std::vector<char>(size_t(elements * getSizeInBytes(*type))));
  if (kind == "out")
    memory.written.resize(memory.data.size());
  memory.file = parts[0].str();
  memory.type = *type;
  memory.shape = std::move(shape);
  return Error::success();
}

Error Arguments::add(StringRef text) {
  auto [kind, value] = text.split(':');
  if (kind == "out" || kind == "zeroed")
    return addOutput(kind, value);
  if (kind == "zeros") {
    uint64_t bytes = 0;
    if (!to_integer(value, bytes) || bytes > mostBytes)
      return createStringError("expected zeros:BYTES, at most 64 GiB, got '" +
                               text + "'");
    addMemory(std::vector<char>(bytes));
    return Error::success();
  }
  if (kind == "same") {
    unsigned index;
    if (!to_integer(value, index) || index >= memories.size())
      return createStringError("expected same:N, the memory of an argument "
                               "before, got '" +
                               text + "'");
    words.push_back(memories[index].address);
    return Error::success();
  }
  if (kind == "hex") {
    std::string bytes;
    if (value.empty() || value.size() % 2 || !tryGetFromHex(value, bytes))
      return createStringError("expected two hexadecimal digits a byte, got '" + text +
                               "'");
    large[unsigned(words.size())].assign(bytes.begin(), bytes.end());
    words.push_back(0);
    return Error::success();
  }
  if (kind == "i8" || kind == "i16" || kind == "i32" || kind == "i64" ||
      kind == "f32" || kind == "f64")
    return addNumber(kind, value);
  if (!sys::fs::exists(text))
    return createStringError(
        "no file '" + text +
        "', and no other argument either: x.npy, out:y.npy:f32:64x4096, "
        "zeroed:y.npy:f32:64x4096, zeros:BYTES, same:N, i8:7, i16:7, i32:7, "
        "i64:7, f32:0.5, f64:0.5 or hex:0042");
  Expected<std::vector<char>> array = readNpyBytes(text);
  if (!array)
    return array.takeError();
  addMemory(std::move(*array));
  return Error::success();
}

Error Arguments::check(ArrayRef<unsigned> parameterBytes) const {
  for (auto [i, word] : enumerate(words)) {
    if (i >= parameterBytes.size() || large.count(unsigned(i)))
      continue;
    auto size = sizes.find(unsigned(i));
    unsigned bytes = size == sizes.end() ? 8 : size->second;
    if (bytes != parameterBytes[i])
      return createStringError("argument " + Twine(i) + " has " + Twine(bytes) +
                               " bytes, the kernel's parameter has " +
                               Twine(parameterBytes[i]));
  }
  return Error::success();
}

void Arguments::apply(sim::LaunchConfig &config) {
  config.arguments = words;
  config.largeArguments = large;
  for (Memory &memory : memories)
    config.buffers.push_back(
        {memory.address, memory.data.data(), memory.data.size(),
         memory.written.empty() ? nullptr : memory.written.data()});
}

std::vector<std::string> Arguments::describeUnwritten() const {
  std::vector<std::string> lines;
  for (const Memory &memory : memories)
    if (int64_t bytes = count(memory.written, 0))
      lines.push_back(memory.file + ": " + std::to_string(bytes) + " of " +
                      std::to_string(memory.written.size()) +
                      " bytes were never written");
  return lines;
}

Error Arguments::writeOutputs() const {
  for (const Memory &memory : memories)
    if (!memory.file.empty())
      if (Error error =
              writeNpy(memory.file, memory.type, memory.shape, memory.data))
        return error;
  return Error::success();
}
