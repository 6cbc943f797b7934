//===- DecodePlaces.cpp - where variables are ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "State Spaces": shared variables, parameters of kernels, and frames:
// local variables and the parameters of functions and calls. A function's
// .param variables are in local memory too, which is where taking their address
// would put them.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace quack::sim;

/// Variables lie in the order of the text; dynamic memory comes after all.
void Decoder::layOutShared() {
  uint64_t end = sharedBase;
  auto place = [&](const ParsedVariable &variable) {
    end = alignTo(end, variable.alignment);
    sharedAddresses[variable.name] = end;
    end += variable.bytes();
  };
  uint64_t dynamicAlignment = 1;
  for (const ParsedVariable &variable : module.shared)
    if (!variable.isExternal)
      place(variable);
    else
      dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
  for_each(kernel.shared, place);
  for (const ParsedKernel &function : module.functions)
    for_each(function.shared, place);
  end = alignTo(end, dynamicAlignment);
  for (const ParsedVariable &variable : module.shared)
    if (variable.isExternal)
      sharedAddresses[variable.name] = end;
  if (end > UINT32_MAX)
    fail(kernel.place, "more than 4 GiB of shared memory");
  program.staticSharedBytes = uint32_t(end - sharedBase);
}

void Decoder::layOutParameters() {
  for (const ParsedVariable &parameter : kernel.parameters) {
    uint32_t bytes = uint32_t(parameter.bytes());
    program.parameterBytes =
        uint32_t(alignTo(program.parameterBytes, parameter.alignment));
    program.parameters.push_back({program.parameterBytes, bytes});
    program.parameterBytes += bytes;
  }
  // PTX ISA, "Kernel Function Parameters".
  if (program.parameterBytes > 32764)
    fail(kernel.place, "parameters take more than 32764 bytes");
}

void Decoder::layOutFrame() {
  Callable &made = function();
  uint64_t end = 0;
  frameVariables.clear();
  auto place = [&](const ParsedVariable &variable) {
    end = alignTo(end, variable.alignment);
    frameVariables.push_back({&variable, uint32_t(end)});
    end += variable.bytes();
    if (end > mostLocalBytes)
      fail(variable.place, "local memory has 512 KiB");
    return uint32_t(end - variable.bytes());
  };
  auto placeAll = [&](ArrayRef<ParsedVariable> list,
                      std::vector<CallValue> &values) {
    for (const ParsedVariable &variable : list) {
      CallValue value;
      value.type = variable.type;
      value.bytes = uint32_t(variable.bytes());
      value.isRegister = variable.reg >= 0;
      if (value.isRegister)
        value.slot = registerSlots[unsigned(variable.reg)];
      else
        value.offset = place(variable);
      values.push_back(value);
    }
  };
  if (body->isFunction) {
    placeAll(body->results, made.results);
    placeAll(body->parameters, made.parameters);
  }
  for_each(body->local, place);
  made.frameBytes = uint32_t(alignTo(end, 16));
  made.frame = allocate(Type::b64);
  made.registers.push_back({made.frame, Type::b64});
  if (!body->isFunction)
    program.constants.push_back({made.frame, Type::b64, localBase});
}

const ParsedVariable *Decoder::findParameter(StringRef name,
                                             uint32_t &offset) const {
  if (body->isFunction)
    return nullptr;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].name == name) {
      offset = program.parameters[i].offset;
      return &kernel.parameters[i];
    }
  return nullptr;
}

std::optional<CallValue> Decoder::findInFrame(StringRef name) const {
  // The innermost block's comes last.
  for (const Placed &placed : reverse(frameVariables)) {
    const ParsedVariable &variable = *placed.variable;
    if (variable.name != name || !isInSight(instruction->block, variable.block))
      continue;
    CallValue value;
    value.offset = placed.offset;
    value.type = variable.type;
    value.bytes = uint32_t(variable.bytes());
    return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> Decoder::findAddress(StringRef name) {
  if (auto found = sharedAddresses.find(name); found != sharedAddresses.end())
    return found->second;
  if (auto found = variables.find(name); found != variables.end())
    return found->second;
  uint32_t offset = 0;
  if (findParameter(name, offset))
    return parameterBase + offset;
  if (std::optional<size_t> number = findFunction(name)) {
    wantFunction(*number);
    return functionBase + *number * functionDistance;
  }
  return std::nullopt;
}
