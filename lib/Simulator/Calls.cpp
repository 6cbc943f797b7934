//===- Calls.cpp - call, ret, brx ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, call, ret, brx.idx. Lanes that call together return together: the
// instruction after the call is their join.
//
//===----------------------------------------------------------------------===//
#include "Calls.h"

#include "Checks.h"
#include "Divergence.h"

#include <cstring>

using namespace quack::sim;

/// Calls within calls after which recursion is taken for endless.
static constexpr uint32_t mostDepth = 1024;

CallState::CallState(const Program &program)
    : active(program.functions.size(), 0) {
  local.push(allLanes, program.functions.front().frameBytes);
}

void CallState::exit(uint32_t lanes) {
  for (Activation &activation : activations)
    activation.lanes &= ~lanes;
  for (uint32_t &mask : active)
    mask &= ~lanes;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

namespace {
/// A value of each lane on its way between a caller and what it calls.
struct Passed {
  std::vector<uint8_t> bytes, written;
  uint32_t origin = 0; ///< the line of a value that nobody wrote
};
} // namespace

/// Bytes of a value in a register: .b8 is kept in 16 bits.
static unsigned registerBytes(const CallValue &value) {
  return std::max(2u, value.bytes);
}

static Passed take(Warp &warp, Slot frame, const CallValue &value,
                   uint32_t lanes) {
  Passed passed;
  passed.bytes.resize(size_t(value.bytes) * warpLanes);
  passed.written.resize(size_t(value.bytes) * warpLanes);
  if (value.isRegister)
    passed.origin = warp.origin[value.slot];
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    uint8_t *bytes = passed.bytes.data() + size_t(value.bytes) * i,
            *written = passed.written.data() + size_t(value.bytes) * i;
    if (value.isRegister) {
      std::memcpy(bytes,
                  warp.reg<uint8_t>(value.slot) + i * registerBytes(value),
                  value.bytes);
      std::memset(written, warp.defined[value.slot] >> i & 1, value.bytes);
      continue;
    }
    uint64_t offset = warp.reg<uint64_t>(frame)[i] - localBase + value.offset;
    std::memcpy(bytes, warp.calls->local.bytes(i, offset), value.bytes);
    std::memcpy(written, warp.calls->local.written(i, offset), value.bytes);
  }
  return passed;
}

static void give(Warp &warp, const Op &op, Slot frame, const CallValue &value,
                 uint32_t lanes, const Passed &passed) {
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    const uint8_t *bytes = passed.bytes.data() + size_t(value.bytes) * i,
                  *written = passed.written.data() + size_t(value.bytes) * i;
    if (value.isRegister) {
      uint8_t *to = warp.reg<uint8_t>(value.slot) + i * registerBytes(value);
      std::memset(to, 0, registerBytes(value));
      std::memcpy(to, bytes, value.bytes);
      bool isDefined = !std::memchr(written, 0, value.bytes);
      warp.define(value.slot, 1u << i, isDefined ? allLanes : 0);
      if (!isDefined)
        warp.origin[value.slot] = passed.origin ? passed.origin : op.line;
      continue;
    }
    uint64_t offset = warp.reg<uint64_t>(frame)[i] - localBase + value.offset;
    std::memcpy(warp.calls->local.bytes(i, offset), bytes, value.bytes);
    std::memcpy(warp.calls->local.written(i, offset), written, value.bytes);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static void setAside(Warp &warp, const Callable &function,
                     Activation &activation) {
  for (auto [slot, type] : function.registers) {
    const uint8_t *from = warp.reg<uint8_t>(slot);
    activation.registers.insert(activation.registers.end(), from,
                                from + slotsOf(type) * slotBytes);
    activation.defined.push_back(warp.defined[slot]);
  }
}

static void putBack(Warp &warp, const Callable &function,
                    const Activation &activation, uint32_t lanes) {
  const uint8_t *from = activation.registers.data();
  const uint32_t *defined = activation.defined.data();
  for (auto [slot, type] : function.registers) {
    if (type == Type::pred) {
      uint32_t mask;
      std::memcpy(&mask, from, 4);
      warp.mask(slot) = (warp.mask(slot) & ~lanes) | (mask & lanes);
    } else {
      unsigned bytes = std::max(2u, sizeOf(type));
      for (unsigned i = 0; i < warpLanes; ++i)
        if (lanes >> i & 1)
          std::memcpy(warp.reg<uint8_t>(slot) + i * bytes, from + i * bytes,
                      bytes);
    }
    warp.define(slot, lanes, *defined++);
    from += slotsOf(type) * slotBytes;
  }
}

//===----------------------------------------------------------------------===//
// Call and return
//===----------------------------------------------------------------------===//

static int makeActivation(CallState &state) {
  for (size_t i = 0; i < state.activations.size(); ++i)
    if (!state.activations[i].lanes) {
      state.activations[i] = Activation();
      return int(i);
    }
  state.activations.emplace_back();
  return int(state.activations.size() - 1);
}

/// Lets `lanes` of the current fragment enter a function. Returns the
/// activation, or -1 after a fault.
static int enter(Warp &warp, const Op &op, uint32_t lanes, uint32_t number) {
  CallState &state = *warp.calls;
  const Program &program = warp.cluster->program;
  const Callable &function = program.functions[number];
  const Call &call = program.calls[op.list];
  int caller = warp.fragment().activation;
  uint32_t depth =
      caller < 0 ? 1 : state.activations[unsigned(caller)].depth + 1;
  std::vector<Passed> arguments;
  Slot frame = program.functions[call.caller].frame;
  for (const CallValue &argument : call.arguments)
    arguments.push_back(take(warp, frame, argument, lanes));
  uint32_t bases[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    bases[i] = state.local.top(i);
  if (depth > mostDepth || !state.local.push(lanes, function.frameBytes)) {
    report(warp, op, firstLane(lanes), "call-depth",
           "'" + function.name + "' is called at a depth of " +
               std::to_string(depth));
    warp.cluster->machine.isStopped = true;
    return -1;
  }
  int index = makeActivation(state);
  Activation &activation = state.activations[unsigned(index)];
  activation.function = number;
  activation.call = op.list;
  activation.returnTo = warp.fragment().pc + 1;
  activation.depth = depth;
  activation.caller = caller;
  activation.lanes = lanes;
  activation.setAside = state.active[number] & lanes;
  state.active[number] |= lanes;
  if (activation.setAside)
    setAside(warp, function, activation);
  if (warp.cluster->checksUndefined)
    for (auto [slot, type] : function.registers)
      warp.define(slot, lanes, 0);
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      warp.reg<uint64_t>(function.frame)[i] = localBase + bases[i];
  warp.define(function.frame, lanes, allLanes);
  for (size_t i = 0; i < arguments.size(); ++i)
    give(warp, op, function.frame, function.parameters[i], lanes, arguments[i]);
  return index;
}

static bool haveSameSizes(llvm::ArrayRef<CallValue> a,
                          llvm::ArrayRef<CallValue> b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].bytes != b[i].bytes)
      return false;
  return true;
}

/// Returns the function that a lane calls by address, or -1 after a fault.
static int resolveTarget(Warp &warp, const Op &op, unsigned lane) {
  const Program &program = warp.cluster->program;
  const Call &call = program.calls[op.list];
  uint64_t address = warp.reg<uint64_t>(call.address)[lane];
  uint64_t number = (address - functionBase) / functionDistance;
  int target = -1;
  if (address >= functionBase && number < program.functionNumbers.size() &&
      address % functionDistance == 0)
    target = program.functionNumbers[number];
  if (target < 0) {
    report(warp, op, lane, "bad-call",
           "the address " + hex(address) + " is no function's");
    return -1;
  }
  const Callable &function = program.functions[unsigned(target)];
  bool isListed = call.targets.empty();
  for (uint32_t listed : call.targets)
    isListed |= listed == uint32_t(target);
  if (isListed && haveSameSizes(call.arguments, function.parameters) &&
      haveSameSizes(call.results, function.results))
    return target;
  report(warp, op, lane, "bad-call",
         "'" + function.name +
             (isListed ? "' takes or returns other values than the call's"
                       : "' is none of the targets that the call lists"));
  return -1;
}

bool quack::sim::callFunction(Warp &warp, const Op &op, uint32_t lanes) {
  const Program &program = warp.cluster->program;
  const Call &call = program.calls[op.list];
  uint32_t next = warp.fragment().pc + 1;
  if (!lanes) {
    warp.fragment().pc = next;
    return !arriveAtJoin(warp);
  }
  warp.fragment().join = joinAt(warp, next);
  if (call.function < 0)
    lanes = requireDefined(warp, op, call.address, lanes, "a call's target");
  while (lanes) {
    int target = call.function;
    uint32_t group = lanes;
    if (target < 0) {
      // Lanes with the same target go together.
      const uint64_t *addresses = warp.reg<uint64_t>(call.address);
      group = 0;
      for (unsigned i = 0; i < warpLanes; ++i)
        group |= uint32_t((lanes >> i & 1) &&
                          addresses[i] == addresses[firstLane(lanes)])
                 << i;
      target = resolveTarget(warp, op, firstLane(lanes));
    }
    lanes &= ~group;
    int activation = target < 0 ? -1 : enter(warp, op, group, uint32_t(target));
    if (activation < 0)
      continue; // these skip the call
    uint32_t begin = program.functions[unsigned(target)].begin;
    if (group == warp.fragment().lanes) {
      warp.fragment().pc = begin;
      warp.fragment().activation = activation;
      return true;
    }
    splitOff(warp, group, begin).activation = activation;
  }
  warp.fragment().pc = next;
  return !arriveAtJoin(warp);
}

bool quack::sim::returnFromFunction(Warp &warp, const Op &op, uint32_t lanes) {
  if (!lanes) {
    ++warp.fragment().pc;
    return !arriveAtJoin(warp);
  }
  CallState &state = *warp.calls;
  const Program &program = warp.cluster->program;
  Activation &activation =
      state.activations[unsigned(warp.fragment().activation)];
  const Callable &function = program.functions[activation.function];
  const Call &call = program.calls[activation.call];
  std::vector<Passed> results;
  for (const CallValue &result : function.results)
    results.push_back(take(warp, function.frame, result, lanes));
  state.local.pop(lanes, function.frameBytes);
  uint32_t &active = state.active[activation.function];
  active = (active & ~lanes) | (activation.setAside & lanes);
  if (activation.setAside & lanes)
    putBack(warp, function, activation, activation.setAside & lanes);
  Slot frame = program.functions[call.caller].frame;
  for (size_t i = 0; i < results.size(); ++i)
    give(warp, op, frame, call.results[i], lanes, results[i]);
  activation.lanes &= ~lanes;
  uint32_t next = activation.returnTo;
  int caller = activation.caller;
  if (lanes == warp.fragment().lanes) {
    warp.fragment().pc = next;
    warp.fragment().activation = caller;
    return !arriveAtJoin(warp);
  }
  ++warp.fragment().pc;
  splitOff(warp, lanes, next).activation = caller;
  arriveAtJoin(warp, warp.fragments.size() - 1);
  return !arriveAtJoin(warp);
}

/// PTX ISA, brx.idx: an index beyond the list is undefined.
bool quack::sim::branchByTable(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t next = warp.fragment().pc + 1;
  lanes = requireDefined(warp, op, op.a, lanes, "a branch");
  const uint32_t *indices = warp.reg<uint32_t>(op.a);
  const uint32_t *targets = warp.cluster->program.targets.data() + op.list;
  while (lanes) {
    uint32_t index = indices[firstLane(lanes)], group = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      group |= uint32_t((lanes >> i & 1) && indices[i] == index) << i;
    lanes &= ~group;
    uint32_t target = next;
    if (index < op.target)
      target = targets[index];
    else
      report(warp, op, firstLane(group), "bad-branch",
             "the index " + std::to_string(index) + " is none of the " +
                 std::to_string(op.target) + " targets'");
    if (target <= warp.fragment().pc)
      noteBackwardJump(warp);
    if (group == warp.fragment().lanes) {
      warp.fragment().pc = target;
      return !arriveAtJoin(warp) && !warp.yields;
    }
    if (op.join < warp.cluster->program.ops.size())
      warp.fragment().join = joinAt(warp, op.join);
    splitOff(warp, group, target);
    arriveAtJoin(warp, warp.fragments.size() - 1);
  }
  warp.fragment().pc = next;
  return !arriveAtJoin(warp);
}
