//===- Stream.cpp - launches that overlap in a stream ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, griddepcontrol; CUDA C++ Programming Guide, "Programmatic Dependent
// Launch". A programmatic launch may start when every CTA of the launch before
// it has executed griddepcontrol.launch_dependents or exited. What the launch
// before has done is ordered before what a thread does after its
// griddepcontrol.wait, and by nothing else: what it touches before that races.
// That the launch before has itself waited for those before it, PTX does not
// promise.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Order.h"

using namespace quack::sim;

/// A CTA has signalled when any of its threads has (PTX is silent on which).
static void launchDependents(Warp &warp, const Op &, uint32_t) {
  warp.cluster->machine.noteGone(*warp.cta, warp.cluster->grid);
}

/// Waits until the launch before this one is complete.
static void gridWait(Warp &warp, const Op &, uint32_t lanes) {
  const Grid &grid = warp.cluster->grid;
  if (!grid.isProgrammatic)
    return;
  const Grid &before = warp.cluster->machine.grids[grid.number - 1];
  if (!before.isComplete())
    return waitHere(warp, Wait::grid, before.number);
  acquire(warp, lanes, before.exitClock);
}

bool quack::sim::decodeGridControl(Decoder &d, Op &op) {
  if (d.root() != "griddepcontrol")
    return false;
  op.definedness = Definedness::custom;
  op.flow = Flow::wait;
  if (d.take("wait"))
    op.run = gridWait;
  else if (d.take("launch_dependents"))
    op.run = launchDependents;
  else
    d.failForm();
  d.expectOperands(0);
  return true;
}
