//===- Program.h - a kernel in the form that runs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel decoded once: each instruction has a function that executes it for
// the lanes of a warp, and operands that are places in the warp's register
// file. Constants and special registers are registers that are filled before
// the warp starts, so that no instruction asks what an operand is.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_PROGRAM_H
#define QUACK_LIB_SIMULATOR_PROGRAM_H

#include "Syntax.h"
#include "Types.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace quack::sim {

struct Warp;
struct Op;

/// A place in a register file, in units of slotBytes. A value of 16 bits takes
/// one slot (32 lanes of 2 bytes), of 128 bits eight. A predicate
/// takes one: its first four bytes are the mask of the lanes where it holds.
using Slot = uint32_t;
inline constexpr unsigned warpLanes = 32;
inline constexpr unsigned slotBytes = 64;
inline constexpr uint32_t allLanes = 0xffffffffu;

/// Returns the slots that a register takes.
inline Slot slotsOf(Type type) {
  unsigned slots = sizeOf(type) / 2;
  return slots ? slots : 1;
}

/// Slots 0 to 7 hold zeros, for any type; what goes to sinkSlot is lost, since
/// nobody reads it. carrySlot is the predicate CC.CF of extended-precision
/// arithmetic.
inline constexpr Slot zeroSlot = 0, sinkSlot = 8, carrySlot = 16,
                      firstFreeSlot = 17;

/// Executes `op` for `lanes`, a subset of the warp's running lanes.
using Handler = void (*)(Warp &warp, const Op &op, uint32_t lanes);

enum class Space : uint8_t { generic, global, shared, cluster, param, local };

/// How an instruction treats values that nobody wrote.
enum class Definedness : uint8_t {
  spreads, ///< the result is as undefined as the operands
  custom,  ///< the handler says
};

/// Of what Definedness::spreads: how halves of 16 bits of the result depend on
/// those of the operands (Halves.cpp).
enum class Halves : uint8_t {
  whole,        ///< all on all
  apart,        ///< each on the same ones
  masked,       ///< the same, but for what zeros clear: and
  maskedByOnes, ///< or what ones set: or
  shiftedLeft,  ///< a by b bits
  shiftedRight,
  paired,  ///< the lower one on all of b, the upper one on a: cvt of two
  resized, ///< cvt between integers
  split,   ///< predicates: d on the lower halves, d2 on the upper ones
};

/// PTX ISA, "Rounding Modifiers".
enum class Rounding : uint8_t { nearest, zero, down, up };
enum class Compare : uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class Logic : uint8_t { none, conjunction, disjunction, exclusive };

/// PTX ISA, "Scope": with whom an operation synchronises.
enum class Scope : uint8_t { cta, cluster, gpu, sys };

/// PTX ISA, "Operation types": .volatile is relaxed, of system scope.
enum class Order : uint8_t { weak, relaxed, acquire, release, acqRel, sc };

/// Where a warp goes after an instruction.
enum class Flow : uint8_t {
  next,
  branch, ///< to `target`
  exit,
  wait,  ///< may stay at the instruction
  table, ///< to one of `target` labels, in Program::targets from `list` on
  call,  ///< `list` is the index in Program::calls
  ret,   ///< from a function
};

struct Op {
  Handler run = nullptr;
  Slot d = sinkSlot, a = zeroSlot, b = zeroSlot, c = zeroSlot;
  Slot d2 = sinkSlot;    ///< the second predicate written
  Slot guard = zeroSlot; ///< with hasGuard
  int64_t offset = 0;    ///< added to the address in a (its width: from),
  int64_t offsetB = 0, offsetC = 0; ///< and to those in b and c
  Type fromB = Type::b64, fromC = Type::b64;
  uint32_t list = 0;   ///< a vector's registers, in Program::lists
  uint32_t target = 0; ///< of a branch
  uint32_t join = 0;   ///< where the branch's lanes meet again
  uint32_t line = 0, index = 0;
  Type type = Type::b32, from = Type::b64;
  Space space = Space::generic;
  Definedness definedness = Definedness::spreads;
  Halves halves = Halves::whole;
  uint8_t count = 1; ///< elements of a vector
  Rounding rounding = Rounding::nearest;
  Compare compare = Compare::eq;
  Logic logic = Logic::none;
  bool hasGuard = false, isGuardNegated = false, isLogicNegated = false;
  bool flush = false, saturate = false, nan = false; ///< .ftz .sat .NaN
  Flow flow = Flow::next;
  bool isPlain = false;   ///< goes to the next instruction, without a guard
  bool isAligned = false; ///< .aligned, .sync.aligned: all lanes at once
  bool isRelaxed = false; ///< .relaxed
  bool isClusterScope = false;
  Order order = Order::weak;  ///< of memory operations and fences,
  Scope scope = Scope::gpu;   ///< with their scope
  bool isNonCoherent = false; ///< ld.global.nc
  uint8_t mode = 0;           ///< the family's own use
};

/// What a slot holds when a warp starts.
struct SlotConstant {
  Slot slot;
  Type type;
  uint64_t bits;
};

/// Special registers that differ by thread, warp or CTA (PTX ISA, "Special
/// Registers"). After one with X come those with Y and Z.
enum class Special : uint8_t {
  tidX,
  tidY,
  tidZ,
  ntidX,
  ntidY,
  ntidZ,
  laneid,
  warpid,
  nwarpid,
  ctaidX,
  ctaidY,
  ctaidZ,
  nctaidX,
  nctaidY,
  nctaidZ,
  clusteridX,
  clusteridY,
  clusteridZ,
  nclusteridX,
  nclusteridY,
  nclusteridZ,
  clusterCtaidX,
  clusterCtaidY,
  clusterCtaidZ,
  clusterNctaidX,
  clusterNctaidY,
  clusterNctaidZ,
  clusterCtarank,
  clusterNctarank,
  isExplicitCluster,
  lanemaskEq,
  lanemaskLt,
  lanemaskLe,
  lanemaskGt,
  lanemaskGe,
  smid,
  nsmid,
  gridid,
  dynamicSmemSize,
  totalSmemSize,
  count
};

struct SlotSpecial {
  Slot slot;
  Special special;
  bool isWide; ///< read into 64 bits
};

struct Parameter {
  uint32_t offset, bytes;
};

/// A register that an instruction writes, for traces.
struct Destination {
  uint32_t op; ///< Op::index
  Slot slot;
  Type type;
  std::string name;
};

/// Where a call's argument or result is: in a register, or in the frame.
struct CallValue {
  bool isRegister = false;
  Slot slot = zeroSlot;
  Type type = Type::b32;
  uint32_t offset = 0, bytes = 0;
};

/// What calls reach (PTX ISA, .func); also the kernel itself. Each activation
/// of a function has its registers and a frame in local memory, which holds its
/// local variables, its parameters and the parameters of the calls it makes.
struct Callable {
  std::string name;
  uint32_t begin = 0; ///< its first instruction
  uint32_t frameBytes = 0;
  Slot frame = zeroSlot; ///< where the frame is: .b64, by lane
  std::vector<std::pair<Slot, Type>> registers;
  std::vector<CallValue> parameters, results;
};

/// A call as the caller sees it.
struct Call {
  int function = -1;       ///< in Program::functions; -1: the address is in
  Slot address = zeroSlot; ///< this register
  uint32_t caller = 0;
  std::vector<CallValue> arguments, results;
  std::vector<uint32_t> targets; ///< functions it may reach; empty: any
};

/// A decoded kernel.
struct Program {
  std::string name;
  std::vector<Op> ops;            ///< the last one exits
  std::vector<std::string> texts; ///< the mnemonic of each op
  std::vector<Slot> lists;
  std::vector<Destination> destinations; ///< in the order of the ops
  std::vector<SlotConstant> constants;
  std::vector<SlotSpecial> specials;
  std::vector<Parameter> parameters;
  std::vector<Callable> functions; ///< the first is the kernel
  /// By number in the module, which is in a function's address: the index in
  /// `functions`, or -1.
  std::vector<int> functionNumbers;
  std::vector<Call> calls;
  std::vector<uint32_t> targets; ///< of brx.idx
  uint32_t parameterBytes = 0;
  uint32_t slots = firstFreeSlot;
  uint32_t staticSharedBytes = 0; ///< before the dynamic ones
  /// Bytes that every access to a space is a multiple of.
  uint32_t sharedGranule = 16, globalGranule = 16;
  bool mayMeet = false;   ///< clusters, in global memory
  bool hasFences = false; ///< or other instructions that release or acquire
  bool hasNarrowScopes = false; ///< fences or strong accesses below .gpu
  /// Whether some strong writes release and others do not; whether some strong
  /// reads acquire and others do not.
  bool mixesWrites = false, mixesReads = false;
  bool hasAsync = false; ///< operations that complete later
  uint32_t requiredThreads[3], maxThreads[3], requiredCluster[3];
};

/// Addresses of shared memory (PTX ISA, "State Spaces"): a CTA's own start at
/// sharedBase, so that a null pointer is none; in the cluster's window a CTA's
/// stand at (rank + 1) << clusterShift.
inline constexpr uint64_t sharedBase = 1024;
inline constexpr unsigned clusterShift = 24;
/// Generic addresses of shared memory are those of the cluster's window, plus
/// this.
inline constexpr uint64_t genericShared = 1ull << 56;

/// Constant variables are where an address shifted by this is 1.
inline constexpr unsigned constantShift = 53;

/// Addresses of local memory and of a kernel's parameters start here, and are
/// generic addresses with these.
inline constexpr uint64_t localBase = 1024, parameterBase = 1024;
inline constexpr uint64_t genericLocal = 1ull << 57,
                          genericParameter = 1ull << 58;
/// The most that a thread's local memory holds (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
inline constexpr uint32_t mostLocalBytes = 512 << 10;
/// The address of function N of a module is functionBase + N *
/// functionDistance.
inline constexpr uint64_t functionBase = 1ull << 59, functionDistance = 16;

/// Decodes a parsed kernel and the functions it may call; an error has the
/// place of what is unknown. `variables` has the addresses of the module's
/// variables.
llvm::Expected<Program> decode(const ParsedModule &module,
                               const llvm::StringMap<uint64_t> &variables,
                               const ParsedKernel &kernel);

/// Fills Op::join of every branch with the instruction at which all paths from
/// it meet again: the immediate post-dominator; ops.size() if there is none.
void findJoins(Program &program);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_PROGRAM_H
