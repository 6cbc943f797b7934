//===- Groups.cpp - groups of columns --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row program's groups mean: each is a row of its own. The last one has
// the columns that are left.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "quack/Dialect/Quack/KernelOperands.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

using Buffers = std::vector<OperandBuffers>;

void Program::addGroupReduce(GroupReduceOp op) {
  unsigned source = laneOf(op.getSource()), result = laneOf(op.getResult());
  ReduceKind kind = op.getKind();
  unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  size_t size = getGroups(op.getType()).getSize();
  steps.push_back([=](Frame &frame, const Buffers &) {
    const Lane &row = frame.lanes[source];
    Lane &groups = frame.lanes[result], group;
    for (size_t i = 0, e = groups.size(); i < e; ++i) {
      size_t begin = i * size, count = std::min(size, row.size() - begin);
      group.resize(count);
      for (size_t j = 0; j < count; ++j)
        group.set(j, row[begin + j]);
      groups.set(i, reduceLane(kind, width, group));
    }
  });
}

void Program::addGroupBroadcast(GroupBroadcastOp op) {
  unsigned source = laneOf(op.getSource()), result = laneOf(op.getResult());
  size_t size = getGroups(op.getSource().getType()).getSize();
  steps.push_back([=](Frame &frame, const Buffers &) {
    const Lane &groups = frame.lanes[source];
    Lane &row = frame.lanes[result];
    for (size_t i = 0, e = row.size(); i < e; ++i)
      row.set(i, groups[i / size]);
  });
}
