//===- Decode.cpp - parsed kernels to the form that runs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places registers, constants, parameters and shared variables, and hands each
// instruction to its family.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/Support/MathExtras.h"

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
// Modifiers
//===----------------------------------------------------------------------===//

bool Decoder::take(StringRef text) {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && instruction->modifiers[i].text == text) {
      taken[i] = true;
      return true;
    }
  return false;
}

bool Decoder::has(StringRef text) const {
  return any_of(instruction->modifiers, [&](const Modifier &modifier) {
    return modifier.text == text;
  });
}

std::optional<Type> Decoder::peekType() const {
  for (const Modifier &modifier : instruction->modifiers)
    if (std::optional<Type> type = parseType(modifier.text))
      return type;
  return std::nullopt;
}

bool Decoder::takeAny(ArrayRef<StringRef> texts) {
  bool found = false;
  for (StringRef text : texts)
    found |= take(text);
  return found;
}

std::optional<Type> Decoder::takeTypeIf() {
  for (size_t i = 0; i < taken.size(); ++i) {
    std::optional<Type> type = parseType(instruction->modifiers[i].text);
    if (taken[i] || !type || type == Type::b128)
      continue;
    taken[i] = true;
    return type;
  }
  return std::nullopt;
}

Type Decoder::takeAnyType() { return take("b128") ? Type::b128 : takeType(); }

Type Decoder::takeType() {
  std::optional<Type> type = takeTypeIf();
  if (!type)
    fail("'" + root() + "' needs a type");
  return type.value_or(Type::b32);
}

std::optional<Rounding> Decoder::takeRounding() {
  if (take("rn"))
    return Rounding::nearest;
  if (take("rz"))
    return Rounding::zero;
  if (take("rm"))
    return Rounding::down;
  if (take("rp"))
    return Rounding::up;
  return std::nullopt;
}

unsigned Decoder::takeVector() {
  return take("v2") ? 2 : take("v4") ? 4 : take("v8") ? 8 : 1;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decoder::expectOperands(size_t least, size_t most) {
  if (numOperands() >= least && numOperands() <= most)
    return !failed;
  fail("'" + instruction->text + "' takes " + Twine(least) +
       (least == most ? "" : " to " + std::to_string(most)) +
       " operands, got " + Twine(numOperands()));
  return false;
}

unsigned Decoder::registerBytes(const ParsedOperand &operand) const {
  if (operand.kind != ParsedOperand::reg)
    return 0;
  return sizeOf(body->registers[operand.index].type);
}

Slot Decoder::constant(uint64_t bits, Type type) {
  unsigned bytes = std::clamp(sizeOf(type), 2u, 8u);
  if (bytes < 8)
    bits &= maskTrailingOnes<uint64_t>(8 * bytes);
  if (bits == 0 && type != Type::pred)
    return zeroSlot;
  auto [found, isNew] = constantSlots.try_emplace({bits, bytes}, 0);
  if (isNew) {
    Type held = bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
    found->second = allocate(held);
    program.constants.push_back({found->second, held, bits});
  }
  return found->second;
}

/// A literal may be wider than the type.
uint64_t quack::sim::floatBits(const ParsedOperand &operand, Type type) {
  double value;
  if (operand.isSingle) {
    uint32_t bits = uint32_t(operand.bits);
    if (type != Type::f64)
      return bits;
    float single;
    std::memcpy(&single, &bits, 4);
    value = single;
  } else {
    std::memcpy(&value, &operand.bits, 8);
    if (sizeOf(type) == 4) {
      float single = float(value);
      uint32_t bits;
      std::memcpy(&bits, &single, 4);
      return bits;
    }
  }
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

Slot Decoder::registerOf(const ParsedOperand &operand, Type type,
                         bool isWrite) {
  Type held = body->registers[operand.index].type;
  if (sizeOf(held) != std::max(type == Type::pred ? 0u : 2u, sizeOf(type)))
    fail(operand.place, "'" + body->registers[operand.index].name + "' is a ." +
                            getName(held) +
                            " register, expected the width of ." +
                            getName(type));
  noteUse(operand.index, isWrite);
  return registerSlots[operand.index];
}

Slot Decoder::source(const ParsedOperand &operand, Type type) {
  switch (operand.kind) {
  case ParsedOperand::reg:
    return registerOf(operand, type, /*isWrite=*/false);
  case ParsedOperand::integer:
    if (type == Type::b128)
      fail(operand.place, "expected a register");
    if (isFloat(type) && sizeOf(type) >= 4 && operand.bits != 0 &&
        type != Type::f16x2 && type != Type::bf16x2)
      fail(operand.place, "expected a floating-point constant");
    return type == Type::pred ? constant(operand.bits ? ~0u : 0, Type::b32)
                              : constant(operand.bits, type);
  case ParsedOperand::real:
    if (sizeOf(type) < 4)
      fail(operand.place, "expected an integer pattern");
    return constant(floatBits(operand, type), type);
  case ParsedOperand::special:
    return special(operand, type);
  case ParsedOperand::symbol:
    if (std::optional<uint64_t> address = findAddress(operand.name))
      return constant(*address + operand.bits, type);
    fail(operand.place, "unknown symbol '" + operand.name + "'");
    return zeroSlot;
  default:
    fail(operand.place, "expected a register or a constant");
    return zeroSlot;
  }
}

Slot Decoder::dest(const ParsedOperand &operand, Type type) {
  if (operand.kind == ParsedOperand::sink)
    return sinkSlot;
  if (operand.kind != ParsedOperand::reg) {
    fail(operand.place, "expected a register");
    return sinkSlot;
  }
  Slot slot = registerOf(operand, type, /*isWrite=*/true);
  noteDestination(operand.index, slot, type);
  return slot;
}

Slot Decoder::predicate(unsigned reg) {
  noteUse(reg, /*isWrite=*/true);
  noteDestination(reg, registerSlots[reg], Type::pred);
  return registerSlots[reg];
}

void Decoder::noteDestination(unsigned reg, Slot slot, Type type) {
  // Where a handler sees bits, the mnemonic's first type says what they mean.
  for (const Modifier &modifier : instruction->modifiers)
    if (std::optional<Type> named = parseType(modifier.text)) {
      if (type <= Type::b64 && sizeOf(*named) == sizeOf(type))
        type = *named;
      break;
    }
  program.destinations.push_back(
      {uint32_t(program.ops.size()), slot, type, body->registers[reg].name});
}

static std::optional<Special> findSpecial(StringRef name) {
  static constexpr StringLiteral names[] = {"tid.x",
                                            "tid.y",
                                            "tid.z",
                                            "ntid.x",
                                            "ntid.y",
                                            "ntid.z",
                                            "laneid",
                                            "warpid",
                                            "nwarpid",
                                            "ctaid.x",
                                            "ctaid.y",
                                            "ctaid.z",
                                            "nctaid.x",
                                            "nctaid.y",
                                            "nctaid.z",
                                            "clusterid.x",
                                            "clusterid.y",
                                            "clusterid.z",
                                            "nclusterid.x",
                                            "nclusterid.y",
                                            "nclusterid.z",
                                            "cluster_ctaid.x",
                                            "cluster_ctaid.y",
                                            "cluster_ctaid.z",
                                            "cluster_nctaid.x",
                                            "cluster_nctaid.y",
                                            "cluster_nctaid.z",
                                            "cluster_ctarank",
                                            "cluster_nctarank",
                                            "is_explicit_cluster",
                                            "lanemask_eq",
                                            "lanemask_lt",
                                            "lanemask_le",
                                            "lanemask_gt",
                                            "lanemask_ge",
                                            "smid",
                                            "nsmid",
                                            "gridid",
                                            "dynamic_smem_size",
                                            "total_smem_size"};
  static_assert(std::size(names) == size_t(Special::count));
  for (size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name)
      return Special(i);
  return std::nullopt;
}

Slot Decoder::special(const ParsedOperand &operand, Type type) {
  if (operand.name == "pt" || operand.name == "WARP_SZ")
    return operand.name == "pt" ? constant(~0u, Type::b32) : constant(32, type);
  std::optional<Special> which = findSpecial(operand.name);
  if (!which) {
    fail(operand.place, "unknown register '%" + operand.name + "'");
    return zeroSlot;
  }
  if (type == Type::pred) {
    fail(operand.place, "'%" + operand.name + "' is no predicate here");
    return zeroSlot;
  }
  bool isWide = sizeOf(type) == 8;
  auto [found, isNew] = specialSlots.try_emplace({unsigned(*which), isWide}, 0);
  if (isNew) {
    found->second = allocate(isWide ? Type::b64 : Type::b32);
    program.specials.push_back({found->second, *which, isWide});
  }
  return found->second;
}

void Decoder::address(size_t i, Slot &base, int64_t &offset, Type &width) {
  const ParsedOperand &parsed = operand(i);
  if (parsed.kind != ParsedOperand::address) {
    fail(parsed.place, "expected an address");
    return;
  }
  const ParsedOperand &inner = parsed.elements.front();
  width = inner.kind == ParsedOperand::reg && registerBytes(inner) == 4
              ? Type::b32
              : Type::b64;
  if (inner.kind == ParsedOperand::integer) {
    base = zeroSlot;
    offset = int64_t(inner.bits);
    return;
  }
  offset = int64_t(parsed.bits);
  if (inner.kind == ParsedOperand::symbol)
    if (std::optional<CallValue> place = findInFrame(inner.name)) {
      base = frame();
      offset += place->offset;
      return;
    }
  base = source(inner, width);
}

uint32_t Decoder::integer(size_t i) {
  if (operand(i).kind != ParsedOperand::integer)
    fail(operand(i).place, "expected an integer constant");
  return uint32_t(operand(i).bits);
}

uint32_t Decoder::addList(ArrayRef<Slot> slots) {
  uint32_t begin = uint32_t(program.lists.size());
  program.lists.insert(program.lists.end(), slots.begin(), slots.end());
  return begin;
}

bool Decoder::isInSight(unsigned from, unsigned block) const {
  while (from != block && from != 0)
    from = body->blockParents[from];
  return from == block;
}

uint32_t Decoder::findLabel(const ParsedOperand &operand, unsigned block) {
  while (true) {
    for (const ParsedLabel &label : body->labels)
      if (label.name == operand.name && label.block == block)
        return function().begin + label.instruction;
    if (block == 0)
      break;
    block = body->blockParents[block];
  }
  fail(operand.place, "unknown label '" + operand.name + "'");
  return 0;
}

uint32_t Decoder::label(const ParsedOperand &operand) {
  return findLabel(operand, instruction->block);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

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
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i])
      fail(parsed.modifiers[i].place, "unknown modifier '." +
                                          parsed.modifiers[i].text + "' of '" +
                                          parsed.root + "'");
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
