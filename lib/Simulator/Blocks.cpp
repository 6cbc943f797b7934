//===- Blocks.cpp - the basic blocks of a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "llvm/ADT/ArrayRef.h"

using namespace quack::sim;

/// Leaves the body: a function's lanes meet where it was called.
static bool leaves(const Op &op) {
  return op.flow == Flow::exit || op.flow == Flow::ret;
}

/// Where a branch may lead, other than to the next instruction.
static llvm::ArrayRef<uint32_t> targetsOf(const Program &program,
                                          const Op &op) {
  if (op.flow == Flow::branch)
    return op.target;
  if (op.flow == Flow::table)
    return llvm::ArrayRef(program.targets).slice(op.list, op.target);
  return {};
}
static bool isBranch(const Op &op) {
  return op.flow == Flow::branch || op.flow == Flow::table;
}

BlockGraph quack::sim::buildBlocks(const Program &program) {
  const std::vector<Op> &ops = program.ops;
  std::vector<bool> starts(ops.size() + 1, false);
  starts[0] = starts[ops.size()] = true;
  for (size_t i = 0; i < ops.size(); ++i)
    if (isBranch(ops[i]) || leaves(ops[i])) {
      starts[i + 1] = true;
      for (uint32_t target : targetsOf(program, ops[i]))
        starts[target] = true;
    }
  BlockGraph graph;
  std::vector<uint32_t> blockOf(ops.size() + 1);
  for (size_t i = 0; i <= ops.size(); ++i) {
    if (starts[i])
      graph.begins.push_back(uint32_t(i));
    blockOf[i] = uint32_t(graph.begins.size() - 1);
  }
  uint32_t exit = uint32_t(graph.begins.size() - 1);
  graph.successors.resize(exit + 1);
  for (uint32_t block = 0; block < exit; ++block) {
    const Op &last = ops[graph.begins[block + 1] - 1];
    std::vector<uint32_t> &next = graph.successors[block];
    for (uint32_t target : targetsOf(program, last))
      next.push_back(blockOf[target]);
    if (leaves(last))
      next.push_back(exit);
    if (!(isBranch(last) || leaves(last)) || last.hasGuard)
      next.push_back(block + 1);
  }
  return graph;
}
