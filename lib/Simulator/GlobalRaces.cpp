//===- GlobalRaces.cpp - races in global memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalRaces.h"

#include "llvm/ADT/Twine.h"

#include <map>
#include <set>
#include <tuple>

using namespace quack::sim;

void GlobalShadow::addBuffers(llvm::ArrayRef<Buffer> buffers) {
  for (const Buffer &buffer : buffers) {
    if (buffer.bytes == 0 || find(buffer.address))
      continue;
    GlobalRange range;
    range.address = buffer.address;
    range.bytes = buffer.bytes;
    range.firstCell = buffer.address / granule;
    range.cells.resize((buffer.address + buffer.bytes - 1) / granule -
                       range.firstCell + 1);
    ranges.push_back(std::move(range));
  }
}

namespace {
/// Two accesses of different clusters, the later cluster's first.
struct Pair {
  const Op *op, *otherOp;
  uint32_t cta, otherCta;
  uint16_t warp, otherWarp;
  unsigned lane, otherLane;
  bool isWrite, otherIsWrite;
  uint64_t address;
};
} // namespace

static Fault describePair(const Pair &pair, const Program &program) {
  bool isNc = pair.op->isNonCoherent || pair.otherOp->isNonCoherent;
  Fault fault;
  fault.kind = isNc ? "nc-write" : "race";
  fault.line = pair.op->line;
  fault.cta = pair.cta;
  fault.warp = pair.warp;
  fault.lane = pair.lane;
  fault.text =
      (llvm::Twine(pair.isWrite ? "the write" : "the read") + " at address 0x" +
       llvm::Twine::utohexstr(pair.address) + " is not ordered with the " +
       (pair.otherIsWrite ? "write" : "read") + " of line " +
       llvm::Twine(pair.otherOp->line) + " (CTA " + llvm::Twine(pair.otherCta) +
       ", warp " + llvm::Twine(pair.otherWarp) + ", lane " +
       llvm::Twine(pair.otherLane) + ") of another cluster [" +
       program.texts[pair.op->index] + "]")
          .str();
  return fault;
}

void GlobalSummary::merge(GlobalShadow &shadow, const AccessLog &log,
                          const Program &program, std::vector<Fault> &faults) {
  std::vector<uint32_t> names(log.size(), 0);
  // The steps of a warp need no names of their own.
  std::map<std::tuple<const Op *, uint32_t, uint16_t>, uint32_t> known;
  auto nameOf = [&](AccessSet set) -> AccessSet {
    AccessLog::Item item = log.first(set & ~readByNc);
    uint32_t &name = names[item.event];
    if (!name) {
      const Event &event = log[item.event];
      uint32_t &first = known[{event.op, event.ctaNumber, event.warp}];
      if (!first && accesses.size() < AccessLog::mostCapacity) {
        first = uint32_t(accesses.size());
        accesses.push_back({event.op, event.ctaNumber, event.warp});
      }
      // With too many, faults name another access than the one that is meant.
      name = first ? first : AccessLog::mostCapacity - 1;
    }
    return AccessLog::one(name, unsigned(__builtin_ctz(item.lanes)));
  };
  std::set<std::pair<std::string, uint32_t>> reported;
  auto check = [&](AccessSet mine, AccessSet other, uint64_t address) {
    const Access &a = accesses[AccessLog::eventOf(mine & ~isWrite)],
                 &b = accesses[AccessLog::eventOf(other & ~isWrite)];
    Fault fault =
        describePair({a.op, b.op, a.cta, b.cta, a.warp, b.warp,
                      AccessLog::laneOf(mine), AccessLog::laneOf(other),
                      bool(mine & isWrite), bool(other & isWrite), address},
                     program);
    if (reported.insert({fault.kind, fault.line}).second)
      faults.push_back(std::move(fault));
  };
  for (size_t i = 0; i < shadow.ranges.size(); ++i) {
    GlobalRange &range = shadow.ranges[i];
    range.cells.forEachPage([&](uint64_t index, ShadowCell *cells) {
      AccessSet *sums = all[i].cell(index);
      for (unsigned k = 0; k < ShadowMap::pageCells; ++k) {
        ShadowCell &cell = cells[k];
        AccessSet &sum = sums[k];
        if (!cell.write && !(cell.read & ~readByNc))
          continue;
        AccessSet mine =
            cell.write ? nameOf(cell.write) | isWrite : nameOf(cell.read);
        if (sum && ((mine | sum) & isWrite))
          check(mine, sum, (range.firstCell + index + k) * shadow.granule);
        if (!(sum & isWrite))
          sum = mine;
      }
    });
  }
}

std::vector<Fault> GlobalSummary::add(uint64_t number, GlobalShadow &shadow,
                                      const AccessLog &log,
                                      const Program &program) {
  std::vector<Fault> faults;
  std::unique_lock<std::mutex> lock(mutex);
  isOver.wait(lock, [&] { return next == number; });
  if (number == 0)
    for (GlobalRange &range : shadow.ranges) {
      all.emplace_back();
      all.back().resize(range.bytes / shadow.granule + 2);
    }
  merge(shadow, log, program, faults);
  ++next;
  lock.unlock();
  isOver.notify_all();
  return faults;
}
