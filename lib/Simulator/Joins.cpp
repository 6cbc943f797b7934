//===- Joins.cpp - where parted lanes meet again ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate post-dominators of branches, by the iteration of Cooper, Harvey and
// Kennedy on the reversed graph of basic blocks.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace quack::sim;

namespace {
/// The blocks from which the exit can be reached, by the reversed graph.
struct ReverseOrder {
  std::vector<uint32_t> rank; ///< post-order number
  std::vector<uint32_t> order;
};
} // namespace

static ReverseOrder orderFromExit(const BlockGraph &graph) {
  ReverseOrder result;
  size_t count = graph.begins.size();
  std::vector<std::vector<uint32_t>> predecessors(count);
  for (uint32_t block = 0; block < count; ++block)
    for (uint32_t next : graph.successors[block])
      predecessors[next].push_back(block);
  result.rank.assign(count, UINT32_MAX);
  std::vector<bool> seen(count, false);
  std::vector<std::pair<uint32_t, size_t>> stack{{uint32_t(count - 1), 0}};
  seen[count - 1] = true;
  while (!stack.empty()) {
    auto &[block, at] = stack.back();
    if (at == predecessors[block].size()) {
      result.rank[block] = uint32_t(result.order.size());
      result.order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t next = predecessors[block][at++];
    if (!seen[next]) {
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }
  return result;
}

static std::vector<uint32_t> postDominators(const BlockGraph &graph,
                                            const ReverseOrder &from) {
  size_t count = graph.begins.size();
  uint32_t exit = uint32_t(count - 1);
  std::vector<uint32_t> parent(count, UINT32_MAX);
  parent[exit] = exit;
  auto meet = [&](uint32_t x, uint32_t y) {
    while (x != y)
      if (from.rank[x] < from.rank[y])
        x = parent[x];
      else
        y = parent[y];
    return x;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t block : reverse(from.order)) {
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
  BlockGraph graph = buildBlocks(program);
  std::vector<uint32_t> parent = postDominators(graph, orderFromExit(graph));
  for (uint32_t block = 0; block + 1 < graph.begins.size(); ++block) {
    Op &last = program.ops[graph.begins[block + 1] - 1];
    uint32_t join = parent[block];
    last.join =
        uint32_t(join == UINT32_MAX ? program.ops.size() : graph.begins[join]);
  }
}
