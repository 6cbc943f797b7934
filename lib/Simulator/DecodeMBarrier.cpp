//===- DecodeMBarrier.cpp - the instructions of mbarrier -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, mbarrier.init, .inval, .arrive, .arrive_drop, .expect_tx,
// .complete_tx, .test_wait, .try_wait, .pending_count: their modifiers and
// operands.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "MBarriers.h"

using namespace quack::sim;

/// Takes .sem, .scope, the space and .b64. `semantics` is what there is besides
/// .relaxed.
static void takeModifiers(Decoder &d, Op &op, llvm::StringRef semantics,
                          bool mayBeRemote) {
  if (semantics.empty() || !d.take(semantics))
    op.isRelaxed = d.take("relaxed") || semantics.empty();
  op.isClusterScope = d.take("cluster");
  if (!op.isClusterScope)
    d.take("cta");
  op.space = Space::generic;
  if (d.takeAny({"shared", "shared::cta"}))
    op.space = Space::shared;
  else if (mayBeRemote && d.take("shared::cluster"))
    op.space = Space::cluster;
  if (!d.take("b64"))
    d.fail("'" + d.inst().text + "' needs .b64");
}

static void takeSpace(Decoder &d, Op &op) {
  op.space =
      d.takeAny({"shared", "shared::cta"}) ? Space::shared : Space::generic;
  if (!d.take("b64"))
    d.fail("'" + d.inst().text + "' needs .b64");
}

static void decodeWait(Decoder &d, Op &op, bool mayFail) {
  op.run = runMBarrierWait;
  op.flow = Flow::wait;
  op.count = d.take("parity");
  op.mode = mayFail;
  takeModifiers(d, op, "acquire", false);
  if (!d.expectOperands(3, mayFail ? 4 : 3))
    return;
  op.d = d.dest(0, Type::pred);
  d.address(1, op);
  op.b = d.source(2, op.count ? Type::b32 : Type::b64);
  if (d.numOperands() == 4) // suspendTimeHint: no wait here takes time
    d.source(3, Type::u32);
}

static void decodeArrive(Decoder &d, Op &op) {
  bool expects = d.take("expect_tx");
  bool completesNot = !expects && d.take("noComplete");
  op.count = uint8_t(expects        ? ArriveForm::expectTx
                     : completesNot ? ArriveForm::noComplete
                                    : ArriveForm::plain);
  takeModifiers(d, op, "release", !completesNot);
  if (completesNot && (op.isRelaxed || op.isClusterScope))
    d.failForm();
  if (!d.expectOperands(expects || completesNot ? 3 : 2, 3))
    return;
  op.d = d.dest(0, Type::b64);
  if (op.space == Space::cluster && op.d != sinkSlot)
    d.fail("a remote arrive has no result");
  d.address(1, op);
  op.b =
      d.numOperands() == 3 ? d.source(2, Type::b32) : d.constant(1, Type::b32);
}

bool quack::sim::decodeMBarrier(Decoder &d, Op &op) {
  if (d.root() != "mbarrier")
    return false;
  auto is = [&](llvm::StringRef word, MBarrierAction action) {
    if (!d.take(word))
      return false;
    op.mode = uint8_t(action);
    return true;
  };
  op.definedness = Definedness::custom;
  op.run = runMBarrier;
  if (d.take("test_wait")) {
    decodeWait(d, op, false);
  } else if (d.take("try_wait")) {
    decodeWait(d, op, true);
  } else if (is("arrive", MBarrierAction::arrive) ||
             is("arrive_drop", MBarrierAction::arriveDrop)) {
    decodeArrive(d, op);
  } else if (is("init", MBarrierAction::init)) {
    takeSpace(d, op);
    if (!d.expectOperands(2))
      return true;
    d.address(0, op);
    op.b = d.source(1, Type::b32);
  } else if (is("inval", MBarrierAction::inval)) {
    takeSpace(d, op);
    if (d.expectOperands(1))
      d.address(0, op);
  } else if (is("expect_tx", MBarrierAction::expectTx) ||
             is("complete_tx", MBarrierAction::completeTx)) {
    takeModifiers(d, op, "", true);
    if (!d.expectOperands(2))
      return true;
    d.address(0, op);
    op.b = d.source(1, Type::b32);
  } else if (d.take("pending_count")) {
    op.run = runPendingCount;
    op.definedness = Definedness::spreads;
    if (!d.take("b64") || !d.expectOperands(2))
      return d.failForm(), true;
    op.d = d.dest(0, Type::b32);
    op.a = d.source(1, Type::b64);
  } else {
    d.failForm();
  }
  return true;
}
