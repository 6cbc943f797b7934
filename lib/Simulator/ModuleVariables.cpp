//===- ModuleVariables.cpp - .global and .const variables ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleVariables.h"

#include "Decoder.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

/// Far from where the runtime puts buffers. Between two variables lies more
/// than a program would miss one by.
static constexpr uint64_t firstGlobal = 1ull << 52,
                          firstConstant = 1ull << constantShift,
                          distance = 1 << 20;

Error ModuleVariables::initialise(const ParsedModule &module,
                                  const ParsedVariable &variable,
                                  std::vector<uint8_t> &bytes) const {
  unsigned size = sizeOf(variable.type);
  uint8_t *to = bytes.data();
  for (const ParsedValue &value : variable.values) {
    ParsedOperand number;
    number.bits = value.bits;
    number.isSingle = value.isSingle;
    uint64_t bits =
        value.isReal ? floatBits(number, variable.type) : value.bits;
    if (!value.symbol.empty()) {
      auto found = places.find(value.symbol);
      std::optional<uint64_t> address;
      if (found != places.end())
        address = found->second;
      for (size_t i = 0; i < module.functions.size(); ++i)
        if (module.functions[i].name == value.symbol)
          address = functionBase + i * functionDistance;
      if (!address)
        return makeError(module.name, value.place,
                         "unknown symbol '" + value.symbol + "'");
      if (size != 8)
        return makeError(module.name, value.place, "addresses have 64 bits");
      bits += *address;
    }
    std::memcpy(to, &bits, size);
    to += size;
  }
  return Error::success();
}

Expected<ModuleVariables> ModuleVariables::make(const ParsedModule &module) {
  ModuleVariables made;
  uint64_t ends[] = {firstGlobal, firstConstant};
  for (const ParsedVariable &variable : module.globals) {
    uint64_t &end = ends[variable.isConstant];
    end = alignTo(end, std::max(distance, variable.alignment));
    made.places[variable.name] = end;
    made.contents.push_back({end, std::vector<uint8_t>(variable.bytes())});
    end += variable.bytes() + distance;
  }
  for (size_t i = 0; i < module.globals.size(); ++i)
    if (Error error =
            made.initialise(module, module.globals[i], made.contents[i].second))
      return error;
  return made;
}

std::vector<Buffer> ModuleVariables::buffers() {
  std::vector<Buffer> list;
  for (auto &[address, bytes] : contents)
    list.push_back({address, bytes.data(), bytes.size()});
  return list;
}
