//===- DecodeOperands.cpp - modifiers and operands -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What families take of an instruction: its modifiers one by one, and operands
// as places in the register file (PTX ISA, "Instruction Operands", "Special
// Registers").
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

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
  return any_of(texts, [&](StringRef text) { return take(text); });
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

void Decoder::operandsOf(Op &op, Type type, size_t sources) {
  if (failed || !expectOperands(sources + 1))
    return;
  op.d = dest(0, type);
  op.a = source(1, type);
  if (sources > 1)
    op.b = source(2, type);
  if (sources > 2)
    op.c = source(3, type);
}

Slot Decoder::secondDest(size_t i) {
  takenSeconds[i] = true;
  if (operand(i).second < 0)
    return sinkSlot;
  unsigned reg = unsigned(operand(i).second);
  if (body->registers[reg].type != Type::pred)
    fail(operand(i).place, "expected a predicate after '|'");
  noteUse(reg, /*isWrite=*/true);
  noteDestination(reg, registerSlots[reg], Type::pred);
  return registerSlots[reg];
}

bool Decoder::takeNegation(size_t i) {
  takenNegations[i] = true;
  return operand(i).isNegated;
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
  bool isPredicate = which == Special::isExplicitCluster;
  if (isPredicate != (type == Type::pred)) {
    fail(operand.place, "'%" + operand.name + "' is " +
                            (isPredicate ? "a" : "no") + " predicate");
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
  if (operand.kind != ParsedOperand::symbol || operand.bits)
    fail(operand.place, "expected a label");
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
