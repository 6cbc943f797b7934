//===- Joins.cpp - where parted lanes meet again ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate post-dominators of branches, by the iteration of Cooper, Harvey and
// Kennedy on the reversed graph of basic blocks.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace quack::sim;

namespace {
struct BlockGraph {
  std::vector<uint32_t> begins; ///< first op of each block; the exit is last
  std::vector<std::vector<uint32_t>> successors;
  std::vector<uint32_t> rank; ///< post-order number in the reversed graph
  std::vector<uint32_t> order;
};
} // namespace

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

static BlockGraph buildGraph(const Program &program) {
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

/// Numbers the blocks from which the exit can be reached.
static void orderFromExit(BlockGraph &graph) {
  size_t count = graph.begins.size();
  std::vector<std::vector<uint32_t>> predecessors(count);
  for (uint32_t block = 0; block < count; ++block)
    for (uint32_t next : graph.successors[block])
      predecessors[next].push_back(block);
  graph.rank.assign(count, UINT32_MAX);
  std::vector<bool> seen(count, false);
  std::vector<std::pair<uint32_t, size_t>> stack{{uint32_t(count - 1), 0}};
  seen[count - 1] = true;
  while (!stack.empty()) {
    auto &[block, at] = stack.back();
    if (at == predecessors[block].size()) {
      graph.rank[block] = uint32_t(graph.order.size());
      graph.order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t next = predecessors[block][at++];
    if (!seen[next]) {
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }
}

static std::vector<uint32_t> postDominators(const BlockGraph &graph) {
  size_t count = graph.begins.size();
  uint32_t exit = uint32_t(count - 1);
  std::vector<uint32_t> parent(count, UINT32_MAX);
  parent[exit] = exit;
  auto meet = [&](uint32_t x, uint32_t y) {
    while (x != y)
      if (graph.rank[x] < graph.rank[y])
        x = parent[x];
      else
        y = parent[y];
    return x;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t block : reverse(graph.order)) {
      if (block == exit)
        continue;
      uint32_t found = UINT32_MAX;
      for (uint32_t next : graph.successors[block])
        if (parent[next] != UINT32_MAX)
          found = found == UINT32_MAX ? next : meet(found, next);
      changed |= parent[block] != found;
      parent[block] = found;
    }
  }
  return parent;
}

void quack::sim::findJoins(Program &program) {
  BlockGraph graph = buildGraph(program);
  orderFromExit(graph);
  std::vector<uint32_t> parent = postDominators(graph);
  for (uint32_t block = 0; block + 1 < graph.begins.size(); ++block) {
    Op &last = program.ops[graph.begins[block + 1] - 1];
    uint32_t join = parent[block];
    last.join =
        uint32_t(join == UINT32_MAX ? program.ops.size() : graph.begins[join]);
  }
}
