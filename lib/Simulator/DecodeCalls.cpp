//===- DecodeCalls.cpp - call and brx --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, call, .func, .callprototype, .calltargets, brx.idx, .branchtargets.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace quack::sim;

std::optional<size_t> Decoder::findFunction(StringRef name) const {
  for (size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].name == name)
      return i;
  return std::nullopt;
}

/// Returns the function's index in the program, which it joins.
uint32_t Decoder::wantFunction(size_t number) {
  int &index = program.functionNumbers[number];
  if (index < 0) {
    index = int(bodies.size());
    bodies.push_back(&module.functions[number]);
    program.functions.emplace_back();
    program.functions.back().name = module.functions[number].name;
  }
  return uint32_t(index);
}

const ParsedTable *Decoder::findTable(const ParsedOperand &operand,
                                      ParsedTable::Kind kind) {
  for (const ParsedTable &table : body->tables)
    if (table.name == operand.name && table.kind == kind &&
        isInSight(instruction->block, table.block))
      return &table;
  return nullptr;
}

CallValue Decoder::callValue(const ParsedOperand &operand,
                             const ParsedVariable &formal) {
  CallValue value;
  if (operand.kind == ParsedOperand::symbol) {
    if (std::optional<CallValue> found = findInFrame(operand.name))
      value = *found;
    else
      fail(operand.place, "unknown parameter '" + operand.name + "'");
  } else {
    value.isRegister = true;
    value.type = formal.type;
    value.bytes = sizeOf(formal.type);
    if (operand.kind == ParsedOperand::sink)
      value.slot = sinkSlot;
    else
      value.slot = source(operand, formal.type);
  }
  if (value.bytes != formal.bytes() || formal.type == Type::pred)
    fail(operand.place, "expected " + Twine(formal.bytes()) + " bytes, got " +
                            Twine(value.bytes));
  return value;
}

void Decoder::addCallValues(ArrayRef<ParsedOperand> actual,
                            ArrayRef<ParsedVariable> formal, Place place,
                            std::vector<CallValue> &values) {
  if (actual.size() != formal.size())
    return fail(place, "the function has " + Twine(formal.size()) +
                           " values here, got " + Twine(actual.size()));
  for (size_t i = 0; i < actual.size(); ++i)
    values.push_back(callValue(actual[i], formal[i]));
}

void Decoder::decodeCall(Op &op) {
  take("uni");
  op.flow = Flow::call;
  op.list = uint32_t(program.calls.size());
  ArrayRef<ParsedOperand> rest = instruction->operands;
  auto takeList = [&] {
    ArrayRef<ParsedOperand> list;
    if (!rest.empty() && rest.front().kind == ParsedOperand::list) {
      list = rest.front().elements;
      rest = rest.drop_front();
    }
    return list;
  };
  ArrayRef<ParsedOperand> results = takeList();
  if (rest.empty())
    return fail("'call' needs a function");
  const ParsedOperand &callee = rest.front();
  rest = rest.drop_front();
  ArrayRef<ParsedOperand> arguments = takeList();
  Call call;
  call.caller = bodyNumber;
  const ParsedKernel *target = nullptr;
  const ParsedTable *prototype = nullptr;
  if (callee.bits)
    return fail(callee.place, "expected a function");
  if (callee.kind == ParsedOperand::symbol) {
    std::optional<size_t> found = findFunction(callee.name);
    if (!found)
      return fail(callee.place,
                  "no function '" + callee.name + "' with a body");
    call.function = int(wantFunction(*found));
    target = &module.functions[*found];
  } else {
    call.address = source(callee, Type::b64);
    if (rest.size() != 1)
      return fail("an indirect call needs a prototype or its targets");
    prototype = findTable(rest.front(), ParsedTable::prototype);
    const ParsedTable *targets =
        findTable(rest.front(), ParsedTable::callTargets);
    if (!prototype && !targets)
      return fail(rest.front().place,
                  "unknown label '" + rest.front().name + "'");
    for (const ParsedOperand &name :
         targets ? ArrayRef(targets->targets) : ArrayRef<ParsedOperand>()) {
      std::optional<size_t> found = findFunction(name.name);
      if (!found)
        return fail(name.place, "no function '" + name.name + "' with a body");
      call.targets.push_back(wantFunction(*found));
      target = &module.functions[*found];
    }
    rest = rest.drop_front();
  }
  if (!rest.empty())
    fail(rest.front().place, "expected the end of the call");
  addCallValues(results, target ? target->results : prototype->results,
                instruction->place, call.results);
  addCallValues(arguments, target ? target->parameters : prototype->parameters,
                instruction->place, call.arguments);
  program.calls.push_back(std::move(call));
}

/// brx.idx index, targets
void Decoder::decodeBranchTable(Op &op) {
  if (!take("idx"))
    return fail("'brx' needs .idx");
  take("uni");
  op.flow = Flow::table;
  if (!expectOperands(2))
    return;
  op.a = source(0, Type::u32);
  const ParsedTable *table = findTable(operand(1), ParsedTable::branchTargets);
  if (!table)
    return fail(operand(1).place, "unknown label '" + operand(1).name + "'");
  op.list = uint32_t(program.targets.size());
  op.target = uint32_t(table->targets.size());
  for (const ParsedOperand &target : table->targets)
    program.targets.push_back(findLabel(target, table->block));
}
