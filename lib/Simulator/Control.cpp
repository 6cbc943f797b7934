//===- Control.cpp - branches and exits ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Control Flow Instructions" and "Miscellaneous Instructions": bra,
// ret, exit, trap, nanosleep, griddepcontrol. Moving the program counter is the
// warp's business (Warp.cpp).
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Machine.h"

using namespace quack::sim;

static void nothing(Warp &, const Op &, uint32_t) {}

static void trap(Warp &warp, const Op &op, uint32_t lanes) {
  report(warp, op, firstLane(lanes), "trap", "the program trapped");
}

/// nanosleep lets others run.
static void yieldTurn(Warp &warp, const Op &, uint32_t) {
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
  } else if (root == "ret" || root == "exit" || root == "trap") {
    d.take("uni");
    op.flow = Flow::exit;
    if (root == "trap")
      op.run = trap;
    d.expectOperands(0);
  } else if (root == "nanosleep") {
    d.takeType();
    op.run = yieldTurn;
    op.flow = Flow::wait;
    d.expectOperands(1);
  } else if (root == "griddepcontrol") {
    // A launch of its own depends on no other.
    if (!d.takeAny({"wait", "launch_dependents"}))
      d.fail("'" + d.inst().text + "' does not exist");
  } else {
    op.run = nullptr;
    return false;
  }
  op.definedness = Definedness::custom;
  return true;
}
