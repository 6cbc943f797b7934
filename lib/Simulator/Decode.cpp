//===- Decode.cpp - parsed kernels to the form that runs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives registers their places, and hands each instruction to its family.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

Decoder::Decoder(const ParsedModule &module,
                 const StringMap<uint64_t> &variables,
                 const ParsedKernel &kernel)
    : module(module), variables(variables), kernel(kernel), body(&kernel) {}

void Decoder::fail(Place place, const Twine &text) {
  if (failed)
    return;
  failed = true;
  message = toString(makeError(module.name, place, text));
}

Slot Decoder::allocate(Type type) {
  Slot slot = program.slots;
  program.slots += slotsOf(type);
  return slot;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Registers have no offset, but in addresses, where it is the address'. Within
/// an operand nothing is negated or has a second destination.
void Decoder::checkPlain(const ParsedOperand &operand) {
  if (operand.bits && (operand.kind == ParsedOperand::reg ||
                       operand.kind == ParsedOperand::special ||
                       operand.kind == ParsedOperand::sink))
    fail(operand.place, "expected a register without an offset");
  for (const ParsedOperand &element : operand.elements) {
    if (element.isNegated || element.hasSecond)
      fail(element.place, "expected a plain operand");
    checkPlain(element);
  }
}

/// What no family has taken is an error: nothing of the text is passed over.
void Decoder::checkAllTaken() {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i])
      fail(instruction->modifiers[i].place, "unknown modifier '." +
                                                instruction->modifiers[i].text +
                                                "' of '" + root() + "'");
  for (size_t i = 0; i < numOperands(); ++i) {
    if (operand(i).isNegated && !takenNegations[i])
      fail(operand(i).place, "'" + instruction->text + "' negates no operand");
    if (operand(i).hasSecond && !takenSeconds[i])
      fail(operand(i).place, "'" + instruction->text + "' has one result");
    checkPlain(operand(i));
  }
}

void Decoder::decodeInstruction(const ParsedInstruction &parsed) {
  using Family = bool (*)(Decoder &, Op &);
  static constexpr Family families[] = {
      decodeMove,      decodeHalf,      decodeFloat,   decodeApprox,
      decodePacked,    decodeCarry,     decodeBitMask, decodeInteger,
      decodeBits,      decodeCompare,   decodeConvert, decodeStoreAsync,
      decodeCopyAsync, decodeBulk,      decodeMemory,  decodeAtomic,
      decodeAddress,   decodeCacheHint, decodeControl, decodeGridControl,
      decodeWarpOps,   decodeBarrier,   decodeMBarrier};
  instruction = &parsed;
  taken.assign(parsed.modifiers.size(), false);
  takenSeconds.assign(parsed.operands.size(), false);
  takenNegations.assign(parsed.operands.size(), false);
  Op op;
  op.line = parsed.place.line;
  op.index = uint32_t(program.ops.size());
  if (parsed.guard >= 0) {
    op.hasGuard = true;
    op.isGuardNegated = parsed.isGuardNegated;
    op.guard = registerSlots[unsigned(parsed.guard)];
    noteUse(unsigned(parsed.guard), /*isWrite=*/false);
  }
  if (none_of(families, [&](Family family) { return family(*this, op); }))
    fail("unknown instruction '" + parsed.text + "'");
  checkAllTaken();
  op.isPlain = op.flow == Flow::next && !op.hasGuard;
  program.ops.push_back(op);
  program.texts.push_back(parsed.text);
}

void Decoder::decodeBody() {
  Callable &made = function();
  made.begin = uint32_t(program.ops.size());
  registerSlots.clear();
  if (places.empty())
    for (const ParsedRegister &reg : body->registers)
      registerSlots.push_back(allocate(reg.type));
  else
    registerSlots = places;
  for (size_t i = 0; i < registerSlots.size(); ++i)
    made.registers.push_back({registerSlots[i], body->registers[i].type});
  layOutFrame();
  for (const ParsedInstruction &parsed : body->instructions) {
    decodeInstruction(parsed);
    if (failed)
      return;
  }
  // Falling off the end of a kernel exits, of a function returns.
  ParsedInstruction last;
  last.place = body->instructions.empty() ? body->place
                                          : body->instructions.back().place;
  last.root = "ret";
  last.text = "ret";
  decodeInstruction(last);
}

void Decoder::shareRegisters(const Program &known,
                             ArrayRef<RegisterUse> itsUses) {
  places = placeRegisters(known, kernel.registers, itsUses, program.slots);
}

Expected<Program> Decoder::run() {
  program.name = kernel.name;
  std::memcpy(program.requiredThreads, kernel.requiredThreads, 12);
  std::memcpy(program.maxThreads, kernel.maxThreads, 12);
  std::memcpy(program.requiredCluster, kernel.requiredCluster, 12);
  layOutShared();
  layOutParameters();
  program.functionNumbers.assign(module.functions.size(), -1);
  program.functions.emplace_back();
  program.functions.back().name = kernel.name;
  bodies.push_back(&kernel);
  // A table in memory may lead to any function whose address it holds.
  for (const ParsedVariable &variable : module.globals)
    for (const ParsedValue &value : variable.values)
      if (std::optional<size_t> found = findFunction(value.symbol))
        wantFunction(*found);
  for (bodyNumber = 0; bodyNumber < bodies.size() && !failed; ++bodyNumber) {
    body = bodies[bodyNumber];
    decodeBody();
  }
  if (failed)
    return createStringError(message);
  program.lists.resize(program.lists.size() + 8, zeroSlot);
  findJoins(program);
  return std::move(program);
}

Expected<Program> quack::sim::decode(const ParsedModule &module,
                                     const StringMap<uint64_t> &variables,
                                     const ParsedKernel &kernel) {
  Decoder first(module, variables, kernel);
  Expected<Program> program = first.run();
  // Functions save and restore their registers one by one.
  if (!program || program->functions.size() > 1 || kernel.registers.empty())
    return program;
  // Once it is known who is live when, registers get their places.
  Decoder second(module, variables, kernel);
  second.shareRegisters(*program, first.registerUses());
  return second.run();
}
