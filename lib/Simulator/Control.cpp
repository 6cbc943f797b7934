//===- Control.cpp - branches and exits ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Control Flow Instructions" and "Miscellaneous Instructions": bra,
// ret, exit, trap, brkpt, nanosleep; brx and call decode in DecodeCalls.cpp.
// Moving the program counter is the warp's business (Warp.cpp).
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"

using namespace quack::sim;

static void nothing(Warp &, const Op &, uint32_t) {}

static void trap(Warp &warp, const Op &op, uint32_t lanes) {
  report(warp, op, firstLane(lanes), "trap", "the program trapped");
}

/// nanosleep lets others run; simulated time moves on at once, by the longest
/// sleep.
static void sleep(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "a duration");
  const uint32_t *durations = warp.reg<uint32_t>(op.a);
  uint32_t longest = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      longest = std::max(longest, durations[i]);
  warp.cluster->machine.slept += longest;
  notePoll(warp);
  warp.yields = true;
}

bool quack::sim::decodeControl(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  op.run = nothing;
  if (root == "bra") {
    op.flow = Flow::branch;
    d.take("uni");
    if (d.expectOperands(1))
      op.target = d.label(d.operand(0));
  } else if (root == "brx") {
    d.decodeBranchTable(op);
  } else if (root == "call") {
    d.decodeCall(op);
  } else if (root == "brkpt") {
    d.expectOperands(0);
  } else if (root == "ret" || root == "exit" || root == "trap") {
    d.take("uni");
    bool returns = root == "ret" && d.isInFunction();
    op.flow = returns ? Flow::ret : Flow::exit;
    if (root == "trap")
      op.run = trap;
    d.expectOperands(0);
  } else if (root == "nanosleep") {
    op.run = sleep;
    op.flow = Flow::wait;
    if (d.takeType() != Type::u32)
      d.failForm();
    if (d.expectOperands(1))
      op.a = d.source(0, Type::u32);
  } else {
    op.run = nullptr;
    return false;
  }
  op.definedness = Definedness::custom;
  return true;
}
