//===- JSON.cpp - a report for programs -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Report/Report.h"

using namespace quack;
using llvm::json::Array;
using llvm::json::Object;

/// Adds the counters that there are for `space`.
static void addCounts(Object &object, MemorySpace space,
                      const AccessCounts &counts) {
  object["requests"] = counts.requests;
  object["bytes"] = counts.bytes;
  switch (space) {
  case MemorySpace::global:
    object["sectors"] = counts.sectors;
    object["least_sectors"] = counts.leastSectors;
    return;
  case MemorySpace::shared:
    object["wavefronts"] = counts.wavefronts;
    object["least_wavefronts"] = counts.leastWavefronts;
    object["bank_conflicts"] = counts.wavefronts - counts.leastWavefronts;
    return;
  case MemorySpace::cluster:
    object["remote_bytes"] = counts.remoteBytes;
    return;
  }
}

static Object toJSON(const AccessReport &access) {
  Object object{{"operation", access.operation},
                {"space", stringifySpace(access.space)},
                {"direction", access.isWrite ? "write" : "read"}};
  if (!access.operand.empty())
    object["operand"] = access.operand;
  if (!access.form.empty())
    object["form"] = access.form;
  if (access.line) {
    object["file"] = access.file;
    object["line"] = access.line;
    object["column"] = access.column;
  }
  addCounts(object, access.space, access.sum());
  Array instructions;
  for (const InstructionReport &instruction : access.instructions) {
    Object one{{"lane_bytes", instruction.laneBytes}};
    addCounts(one, access.space, instruction.counts);
    instructions.push_back(std::move(one));
  }
  object["instructions"] = std::move(instructions);
  return object;
}

llvm::json::Value KernelReport::toJSON() const {
  Object object{{"name", name},
                {"columns", columns},
                {"rows", rows},
                {"threads", threads},
                {"cluster", cluster},
                {"rows_per_tile", rowsPerTile},
                {"tiles", tiles},
                {"split", split},
                {"shared_bytes", sharedBytes},
                {"workspace_bytes_per_row", workspaceBytes},
                {"taken", isTaken}};
  if (ctas > 0) {
    object["ctas"] = ctas;
    object["partials"] = partials;
    object["workspace_bytes"] = fixedWorkspaceBytes;
  }
  if (cost) {
    object["target"] = target;
    object["registers"] = cost->registers;
    object["ctas_per_sm"] = cost->ctasPerSM;
    object["occupancy"] = cost->occupancy;
    object["bytes_in_flight"] = cost->bytesInFlight;
    object["microseconds"] = cost->microseconds;
    object["bytes_per_microsecond"] = cost->bandwidth;
    object["roofline_bytes_per_microsecond"] = cost->roofline;
    object["roofline_share"] = cost->bandwidth / cost->roofline;
    object["decided_by"] = cost->decisive;
  }
  if (!guard.empty()) {
    object["guard"] = guard;
    return object;
  }
  Array list;
  for (const AccessReport &access : accesses)
    list.push_back(::toJSON(access));
  object["accesses"] = std::move(list);
  Object totals;
  for (MemorySpace space :
       {MemorySpace::global, MemorySpace::shared, MemorySpace::cluster}) {
    AccessCounts counts = sum(space);
    if (!counts.requests)
      continue;
    Object total;
    addCounts(total, space, counts);
    totals[stringifySpace(space)] = std::move(total);
  }
  object["totals"] = std::move(totals);
  return object;
}
