//===- DecodeOrder.cpp - orders and scopes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model", "Operation types" and "Scope": what a
// memory operation or a fence says of its order, and what of that a kernel has.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

using namespace quack::sim;

bool Decoder::takeOrder(Op &op, Order order, Scope scope,
                        llvm::ArrayRef<Order> allowed) {
  static constexpr std::pair<llvm::StringLiteral, Order> orders[] = {
      {"weak", Order::weak},       {"relaxed", Order::relaxed},
      {"acquire", Order::acquire}, {"release", Order::release},
      {"acq_rel", Order::acqRel},  {"sc", Order::sc}};
  static constexpr std::pair<llvm::StringLiteral, Scope> scopes[] = {
      {"cta", Scope::cta},
      {"cluster", Scope::cluster},
      {"gpu", Scope::gpu},
      {"sys", Scope::sys}};
  op.order = order;
  op.scope = scope;
  for (const auto &[text, which] : orders)
    if (llvm::is_contained(allowed, which) && take(text)) {
      op.order = which;
      break;
    }
  bool hasScope = false;
  for (const auto &[text, which] : scopes)
    if (!hasScope && take(text)) {
      op.scope = which;
      hasScope = true;
    }
  noteOrder(op);
  return hasScope;
}

void Decoder::noteOrder(const Op &op) {
  if (op.order >= Order::acquire)
    noteFence();
  program.hasNarrowScopes |= op.order != Order::weak && op.scope < Scope::gpu;
  noteMix(op);
}

void Decoder::noteMix(const Op &op) {
  if (op.order == Order::weak || root() == "fence" || root() == "membar")
    return;
  bool releases = op.order == Order::release || op.order == Order::acqRel;
  bool acquires = op.order == Order::acquire || op.order == Order::acqRel;
  if (root() != "ld")
    writes[releases] = true;
  if (root() != "st")
    reads[acquires] = true;
  program.mixesWrites = writes[0] && writes[1];
  program.mixesReads = reads[0] && reads[1];
}
