//===- tools/quack-sim/Arguments.cpp - a kernel's arguments -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

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

/// file:type:shape
Error Arguments::addOutput(StringRef kind, StringRef text) {
  SmallVector<StringRef, 4> parts;
  text.split(parts, ':');
  std::optional<StorageType> type;
  if (parts.size() == 3)
    type = parseStorageType(parts[1]);
  if (!type)
    return createStringError("expected " + kind + ":file.npy:type:RxC, got '" +
                             kind + ":" + text + "'");
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
    elements *= value;
  }
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
    if (!to_integer(value, bytes))
      return createStringError("expected zeros:BYTES, got '" + text + "'");
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
    if (!tryGetFromHex(value, bytes))
      return createStringError("expected hexadecimal digits, got '" + text +
                               "'");
    large[unsigned(words.size())].assign(bytes.begin(), bytes.end());
    words.push_back(0);
    return Error::success();
  }
  if (kind == "i8" || kind == "i32" || kind == "i64") {
    int64_t number;
    if (!to_integer(value, number))
      return createStringError("expected an integer, got '" + text + "'");
    words.push_back(uint64_t(number));
    return Error::success();
  }
  if (kind == "f32") {
    double number;
    if (!to_float(value, number))
      return createStringError("expected a number, got '" + text + "'");
    float single = float(number);
    uint32_t bits;
    std::memcpy(&bits, &single, 4);
    words.push_back(bits);
    return Error::success();
  }
  Expected<NpyArray> array = readNpy(text);
  if (!array)
    return array.takeError();
  addMemory(std::move(array->data));
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

Error Arguments::writeOutputs() const {
  for (const Memory &memory : memories)
    if (!memory.file.empty())
      if (Error error =
              writeNpy(memory.file, memory.type, memory.shape, memory.data))
        return error;
  return Error::success();
}
