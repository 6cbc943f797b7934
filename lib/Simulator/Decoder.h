//===- Decoder.h - help to decode one instruction ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each family of instructions decodes itself, in the file that gives it its
// meaning, with these means. A modifier that a family does not take is an
// error; so is an operand of the wrong width.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_DECODER_H
#define QUACK_LIB_SIMULATOR_DECODER_H

#include "RegisterPlaces.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <map>

namespace quack::sim {

class Decoder {
public:
  Decoder(const ParsedModule &module,
          const llvm::StringMap<uint64_t> &variables,
          const ParsedKernel &kernel);

  llvm::Expected<Program> run();

  /// Who reads and writes which register, in the order of the instructions.
  llvm::ArrayRef<RegisterUse> registerUses() const { return uses; }
  /// Lets registers share places, as decoding the kernel before has shown.
  void shareRegisters(const Program &known,
                      llvm::ArrayRef<RegisterUse> itsUses);

  const ParsedInstruction &inst() const { return *instruction; }
  llvm::StringRef root() const { return instruction->root; }
  size_t numOperands() const { return instruction->operands.size(); }
  const ParsedOperand &operand(size_t i) const {
    return instruction->operands[i];
  }

  /// Records an error; the first one counts.
  void fail(Place place, const llvm::Twine &message);
  void fail(const llvm::Twine &message) { fail(instruction->place, message); }
  /// Records that PTX has no such form of the instruction.
  void failForm() { fail("'" + instruction->text + "' does not exist"); }
  bool hasFailed() const { return failed; }

  // Modifiers.

  /// Takes the modifier `text` if it is there.
  bool take(llvm::StringRef text);
  /// Returns whether the modifier `text` is there.
  bool has(llvm::StringRef text) const;
  /// Returns the first type among the modifiers, if any.
  std::optional<Type> peekType() const;
  /// Takes the first of `texts`, of which an instruction has one at the most;
  /// returns whether any was there.
  bool takeAny(llvm::ArrayRef<llvm::StringRef> texts);
  /// Takes the first type; an error if there is none.
  Type takeType();
  std::optional<Type> takeTypeIf();
  /// The same, of types that few instructions have: .b128.
  Type takeAnyType();
  /// Takes .rn, .rz, .rm or .rp.
  std::optional<Rounding> takeRounding();
  /// Takes .v2, .v4 or .v8; returns the count, 1 without.
  unsigned takeVector();
  /// Takes the semantics and the scope of a memory operation or a fence;
  /// `order` and `scope` are what it has without, `orders` what it may have.
  /// Returns whether there is a scope.
  bool takeOrder(Op &op, Order order, Scope scope,
                 llvm::ArrayRef<Order> orders);

  // Operands.

  /// Demands `least` to `most` operands.
  bool expectOperands(size_t least, size_t most);
  bool expectOperands(size_t count) { return expectOperands(count, count); }
  Slot source(const ParsedOperand &operand, Type type);
  Slot source(size_t i, Type type) { return source(operand(i), type); }
  /// Sets the destination and `sources` sources, all of `type`.
  void operandsOf(Op &op, Type type, size_t sources);
  Slot dest(const ParsedOperand &operand, Type type);
  Slot dest(size_t i, Type type) { return dest(operand(i), type); }
  /// The bytes of the register that operand `i` is.
  unsigned registerBytes(const ParsedOperand &operand) const;
  /// Sets a and offset from the address at `i`; `from` is its base's width.
  void address(size_t i, Op &op) { address(i, op.a, op.offset, op.from); }
  void address(size_t i, Slot &base, int64_t &offset, Type &width);
  /// Adds `slots` to the program's lists; returns where they begin.
  uint32_t addList(llvm::ArrayRef<Slot> slots);
  /// Returns operand `i`, which must be an integer constant.
  uint32_t integer(size_t i);
  /// The slot of the predicate of a destination `d|p`; sinkSlot without.
  Slot secondDest(size_t i);
  /// Takes the `!` of a predicate; returns whether it is there.
  bool takeNegation(size_t i);
  Slot constant(uint64_t bits, Type type);
  uint32_t label(const ParsedOperand &operand);

  // Places (DecodePlaces.cpp).

  /// Returns the kernel's parameter, if it has one called `name` and its body
  /// is being decoded, and where it is.
  const ParsedVariable *findParameter(llvm::StringRef name,
                                      uint32_t &offset) const;
  /// Returns where in the frame a variable in sight is; nothing if there is
  /// none.
  std::optional<CallValue> findInFrame(llvm::StringRef name) const;
  /// The register that holds where the frame is.
  Slot frame() const { return function().frame; }
  bool isInFunction() const { return body->isFunction; }

  // Calls (DecodeCalls.cpp).

  void decodeCall(Op &op);
  void decodeBranchTable(Op &op);

  /// Notes that clusters may meet in global memory: `space` is that of an
  /// atomic or of a strong access.
  void noteMeeting(Space space) {
    program.mayMeet |= space == Space::global || space == Space::generic;
  }
  /// Notes that shared memory is accessed in units of `bytes`.
  void noteSharedAccess(uint32_t bytes) {
    program.sharedGranule = std::min(program.sharedGranule, bytes);
  }
  void noteGlobalAccess(uint32_t bytes) {
    program.globalGranule = std::min(program.globalGranule, bytes);
  }
  /// Notes an access of `bytes` bytes in `space`.
  void noteAccess(Space space, uint32_t bytes) {
    if (space == Space::shared || space == Space::cluster ||
        space == Space::generic)
      noteSharedAccess(bytes);
    if (space == Space::global || space == Space::generic)
      noteGlobalAccess(bytes);
  }
  /// Notes what the program's operations of this order may do.
  void noteOrder(const Op &op);
  /// Notes that strong accesses may hand on what their threads know.
  void noteFence() { program.hasFences = true; }
  void noteAsync() { program.hasAsync = true; }
  uint64_t line() const { return instruction->place.line; }

private:
  /// Notes of a memory operation whether it releases, and whether it acquires.
  void noteMix(const Op &op);
  /// Whether there are strong ones without, and with.
  bool writes[2] = {}, reads[2] = {};

  struct Placed {
    const ParsedVariable *variable;
    uint32_t offset; ///< in the frame
  };

  const ParsedModule &module;
  const llvm::StringMap<uint64_t> &variables;
  const ParsedKernel &kernel;
  const ParsedKernel *body; ///< the kernel or function that is being decoded
  uint32_t bodyNumber = 0;  ///< in Program::functions
  std::vector<const ParsedKernel *> bodies; ///< of Program::functions
  std::vector<Placed> frameVariables;       ///< of the body
  Program program;
  const ParsedInstruction *instruction = nullptr;
  std::vector<bool> taken;
  /// Of the operands: whose second destination, whose negation is taken.
  std::vector<bool> takenSeconds, takenNegations;
  std::vector<Slot> registerSlots;
  std::vector<Slot> places; ///< of the kernel's registers, if shared
  std::vector<RegisterUse> uses;
  std::map<std::pair<uint64_t, unsigned>, Slot> constantSlots;
  std::map<std::pair<unsigned, bool>, Slot> specialSlots;
  llvm::StringMap<uint64_t> sharedAddresses;
  bool failed = false;
  std::string message;

  Slot allocate(Type type);
  Callable &function() { return program.functions[bodyNumber]; }
  const Callable &function() const { return program.functions[bodyNumber]; }
  void noteDestination(unsigned reg, Slot slot, Type type);
  void checkAllTaken();
  void checkPlain(const ParsedOperand &operand);
  void noteUse(unsigned reg, bool isWrite) {
    uses.push_back({uint32_t(program.ops.size()), reg, isWrite});
  }
  Slot registerOf(const ParsedOperand &operand, Type type, bool isWrite);
  void layOutShared();
  void layOutParameters();
  void layOutFrame();
  void decodeBody();
  std::optional<uint64_t> findAddress(llvm::StringRef name);
  std::optional<size_t> findFunction(llvm::StringRef name) const;
  uint32_t wantFunction(size_t number);
  const ParsedTable *findTable(const ParsedOperand &operand,
                               ParsedTable::Kind kind);
  uint32_t findLabel(const ParsedOperand &operand, unsigned block);
  bool isInSight(unsigned from, unsigned block) const;
  CallValue callValue(const ParsedOperand &operand,
                      const ParsedVariable &formal);
  void addCallValues(llvm::ArrayRef<ParsedOperand> actual,
                     llvm::ArrayRef<ParsedVariable> formal, Place place,
                     std::vector<CallValue> &values);
  void decodeInstruction(const ParsedInstruction &parsed);
  Slot special(const ParsedOperand &operand, Type type);
};

/// The pattern of a floating-point operand as a value of `type`.
uint64_t floatBits(const ParsedOperand &operand, Type type);

using DecodeFunction = void (*)(Decoder &decoder, Op &op);

// Each returns false if `d.root()` is not of its family.
bool decodeInteger(Decoder &d, Op &op);     // IntegerArith.cpp
bool decodeBits(Decoder &d, Op &op);        // Bits.cpp
bool decodeBitMask(Decoder &d, Op &op);     // BitMasks.cpp
bool decodePacked(Decoder &d, Op &op);      // PackedIntegers.cpp
bool decodeCarry(Decoder &d, Op &op);       // Carry.cpp
bool decodeFloat(Decoder &d, Op &op);       // FloatArith.cpp
bool decodeHalf(Decoder &d, Op &op);        // HalfArith.cpp
bool decodeApprox(Decoder &d, Op &op);      // Approx.cpp
bool decodeCompare(Decoder &d, Op &op);     // CompareSelect.cpp
bool decodeMove(Decoder &d, Op &op);        // Move.cpp
bool decodeConvert(Decoder &d, Op &op);     // Convert.cpp
bool decodeNarrow(Decoder &d, Op &op);      // ConvertNarrow.cpp
bool decodeAddress(Decoder &d, Op &op);     // Addresses.cpp
bool decodeCacheHint(Decoder &d, Op &op);   // CacheHints.cpp
bool decodeMemory(Decoder &d, Op &op);      // LoadStore.cpp
bool decodeAtomic(Decoder &d, Op &op);      // Atomics.cpp
bool decodeControl(Decoder &d, Op &op);     // Control.cpp
bool decodeGridControl(Decoder &d, Op &op); // Stream.cpp
bool decodeWarpOps(Decoder &d, Op &op);     // WarpOps.cpp
bool decodeBarrier(Decoder &d, Op &op);     // Barriers.cpp
bool decodeMBarrier(Decoder &d, Op &op);    // DecodeMBarrier.cpp
bool decodeStoreAsync(Decoder &d, Op &op);  // StoreAsync.cpp
bool decodeCopyAsync(Decoder &d, Op &op);   // CopyAsync.cpp
bool decodeBulk(Decoder &d, Op &op);        // BulkCopies.cpp

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_DECODER_H
