//===- Races.cpp - accesses that nothing orders ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before on memory, after FastTrack (Flanagan and Freund, PLDI 2009): a
// cell keeps the accesses that a later one must be ordered after, and drops
// those that come before a newer one. A write of one lane and reads in order
// are the common case, and stand in the cell itself.
//
// PTX ISA, "Memory Consistency Model": strong operations (relaxed, volatile,
// atomic, ...) whose scopes include each other's threads and that overlap
// completely do not race. So a strong access does not displace a weak one: who
// may meet the first need not be allowed to meet the second. And "Causality
// Order": a strong write is ordered before what comes after a strong read of
// its value, or of what a chain of read-modify-writes has made of that value.
// It hands nothing else on (Fences.cpp).
//
//===----------------------------------------------------------------------===//
#include "Races.h"

#include "Checks.h"
#include "RaceCheck.h"

#include "llvm/ADT/Twine.h"

#include <array>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Returns which of `lanes` did the event themselves, and are done with it.
static uint32_t ownLanes(const Warp &warp, const Event &event, uint32_t lanes) {
  if (event.cta != warp.cta->index || event.warp != warp.number)
    return 0;
  if (!event.isAsync)
    return lanes;
  uint32_t kind = event.agent.index / mostWarps, result = 0;
  for (unsigned i = 0; kind < numAgentKinds && i < warpLanes; ++i)
    result |= uint32_t(warp.ownTimes[kind][i] >= event.time) << i;
  return result & lanes;
}

uint32_t quack::sim::unordered(Checker &check, const AccessLog::Item &earlier,
                               uint32_t mine) {
  Warp &warp = check.warp;
  const Event &event = check.log[earlier.event];
  uint32_t result = 0;
  for (LaneGroup &group : warp.groups) {
    uint32_t lanes = group.lanes & mine;
    if (!lanes)
      continue;
    if (group.clock.knows(event.agent, event.time)) {
      if (warp.groups.size() == 1)
        check.ordered = earlier.event;
      continue;
    }
    if (event.viewTime && group.clock.knows(event.view, event.viewTime))
      continue;
    uint32_t unknown =
        earlier.lanes &
        ~group.clock.known(event.agent, earlier.lanes, event.time);
    // A lane comes after itself, but others of its group may not.
    bool isSingle = (lanes & (lanes - 1)) == 0;
    if (unknown && isSingle)
      unknown &= ~ownLanes(warp, event, lanes);
    result |= unknown;
  }
  return result;
}

/// PTX ISA, "Scope": whether `scope`, of an operation of one CTA, includes
/// another CTA.
static bool includes(Scope scope, const Event &event, const Cta &cta) {
  return scope >= Scope::gpu ||
         (event.cluster == cta.index - cta.rank &&
          (scope == Scope::cluster || event.cta == cta.index));
}

namespace {
enum class Strength : uint8_t {
  weak,      ///< one of the two is weak, or they overlap in part
  tooNarrow, ///< a scope does not include the other's thread
  moral,
};
} // namespace

/// PTX ISA, "Morally Strong Operations".
static Strength strengthOf(const Checker &check, const Event &event) {
  const Op &op = check.op, &other = *event.op;
  if (!check.isStrong || !event.isStrong ||
      sizeOf(op.type) != sizeOf(other.type))
    return Strength::weak;
  const Cta &cta = *check.warp.cta;
  return includes(op.scope, event, cta) && includes(other.scope, event, cta)
             ? Strength::moral
             : Strength::tooNarrow;
}

std::string Spot::str() const {
  return (cta ? " at shared offset " + llvm::Twine(at) + " of CTA " +
                    llvm::Twine(cta->number)
              : " at address 0x" + llvm::Twine::utohexstr(at))
      .str();
}

std::string quack::sim::describeEvent(const Event &event, uint32_t lanes,
                                      bool isWrite) {
  return ((event.isAsync ? "the asynchronous " : "the ") +
          llvm::Twine(isWrite ? "write" : "read") + " of line " +
          llvm::Twine(event.op->line) + " (CTA " +
          llvm::Twine(event.ctaNumber) + ", warp " + llvm::Twine(event.warp) +
          ", lane " +
          llvm::Twine(event.isAsync ? event.lane : firstLane(lanes)) + ")")
      .str();
}

/// Reports that one of `mine` at least is not ordered after the earlier access.
static void reportRace(Checker &check, const AccessLog::Item &earlier,
                       uint32_t mine, const Spot &spot, bool wasWrite) {
  const Event &event = check.log[earlier.event];
  bool isRead = check.kind == AccessKind::read;
  std::string where = spot.str();
  // The first of them may be in order.
  uint32_t lane = 0, lanes = 0;
  for (; !lanes && mine; mine &= mine - 1) {
    lane = firstLane(mine);
    lanes = unordered(check, earlier, 1u << lane);
  }
  std::string other = describeEvent(event, lanes, wasWrite);
  if (strengthOf(check, event) == Strength::tooNarrow)
    return report(check.warp, check.op, lane, "scope",
                  llvm::Twine(isRead ? "the read" : "the write") + where +
                      " and " + other +
                      ": the scope of one does not include the other");
  uint32_t grid = check.warp.cluster->grid.number;
  if (event.grid != grid)
    return report(check.warp, check.op, lane, "early-read",
                  llvm::Twine(isRead ? "the read" : "the write") + where +
                      " and " + other + " of launch " +
                      llvm::Twine(event.grid) + ": launch " +
                      llvm::Twine(std::max<uint32_t>(grid, event.grid)) +
                      " has not waited there (griddepcontrol.wait)");
  if (event.isPending)
    return report(check.warp, check.op, lane, "async-in-flight",
                  llvm::Twine(isRead ? "reads" : "overwrites") +
                      (wasWrite ? " the destination" : " the source") +
                      " of an unfinished asynchronous operation" + where +
                      ": " + other);
  report(check.warp, check.op, lane, "race",
         llvm::Twine(isRead ? "the read" : "the write") + where +
             " is not ordered after " + other);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Returns whether each of `mine` comes after one of an access' lanes.
static bool comesAfter(Checker &check, const AccessLog::Item &item,
                       uint32_t mine) {
  return item.event == check.ordered ||
         (item.lanes & ~unordered(check, item, mine)) != 0;
}

/// Checks an access against the earlier ones in `set`.
static void checkSet(Checker &check, AccessSet set, uint32_t mine,
                     const Spot &spot, bool wasWrite) {
  // What has read the value of the writes that follow in the list.
  llvm::SmallVector<AccessLog::Item, 4> readers;
  for (set &= ~readByNc; set;) {
    AccessLog::Item item = check.log.first(set);
    set = item.rest;
    const Event &event = check.log[item.event];
    if (wasWrite && event.isRead) {
      readers.push_back(item);
      continue;
    }
    // Strength first: many may poll one place.
    if (item.event != check.ordered &&
        strengthOf(check, event) != Strength::moral)
      if (unordered(check, item, mine))
        if (llvm::none_of(readers, [&](const AccessLog::Item &reader) {
              return comesAfter(check, reader, mine);
            }))
          reportRace(check, item, mine, spot, wasWrite);
    if (event.isAtomic)
      readers.push_back(item);
    else
      readers.clear();
  }
}

/// Returns whether whoever must be ordered after the earlier access must be
/// after the present one, too, provided that they are in order.
static bool covers(const Checker &check, const Event &earlier) {
  const Op &op = check.op, &other = *earlier.op;
  return !check.isStrong ||
         (earlier.isStrong && earlier.cta == check.warp.cta->index &&
          other.scope >= op.scope && sizeOf(other.type) == sizeOf(op.type));
}

/// Returns the set of `kept`, the latest first, and the present access.
static AccessSet makeSet(Checker &check, llvm::ArrayRef<AccessLog::Item> kept,
                         uint32_t mine) {
  AccessSet result = 0;
  for (size_t i = kept.size(); i-- > 0;)
    result = check.log.with(result, kept[i].event, kept[i].lanes);
  return check.log.with(result, check.event, mine);
}

/// Returns `set` with this read, without the earlier ones that it covers.
static AccessSet withRead(Checker &check, AccessSet set, uint32_t mine) {
  AccessSet mark = set & readByNc;
  set &= ~readByNc;
  llvm::SmallVector<AccessLog::Item, 8> kept;
  for (AccessSet rest = set; rest;) {
    AccessLog::Item item = check.log.first(rest);
    rest = item.rest;
    if (item.event == check.event && (item.lanes & mine) == mine)
      return set | mark;
    const Event &event = check.log[item.event];
    // Whoever writes later must be able to name an ld.global.nc.
    bool isNamed = event.op->isNonCoherent && !check.op.isNonCoherent;
    if (item.event != check.event && covers(check, event) && !isNamed) {
      item.lanes = unordered(check, item, mine);
      if (item.lanes)
        item.lanes &= ~ownLanes(check.warp, event, mine);
    }
    if (item.lanes)
      kept.push_back(item);
  }
  return makeSet(check, kept, mine) | mark;
}

/// Returns the writes `set` with this strong read of the latest one, if it is
/// not ordered after that without it.
static AccessSet withReader(Checker &check, AccessSet set, uint32_t mine) {
  AccessLog::Item item = check.log.first(set);
  for (; check.log[item.event].isRead; item = check.log.first(item.rest))
    if (check.log[item.event].agent == check.log[check.event].agent &&
        (item.lanes & mine) == mine)
      return set; // what comes after the later read comes after the first
  bool isRead = strengthOf(check, check.log[item.event]) == Strength::moral;
  return isRead && unordered(check, item, mine)
             ? check.log.with(set, check.event, mine)
             : set;
}

namespace {
/// Says which of a chain of read-modify-writes must stay, the latest first. Who
/// comes after one comes after all before it. So of those that a later access
/// may not meet, for its scope or for theirs, the latest will do: of all, of
/// those with no more than cluster scope and of those with CTA scope, the
/// latest, the latest of another CTA than that and the latest of another
/// cluster.
class ScopeWitnesses {
public:
  /// Returns whether the next access must stay.
  bool add(const Event &event) {
    bool stays = false;
    for (size_t i = std::min(event.op->scope, Scope::gpu) == Scope::gpu ? 2
                    : event.op->scope == Scope::cluster                 ? 1
                                                                        : 0;
         i < latest.size(); ++i) {
      Latest &of = latest[i];
      stays |= !of.any || (!of.hasOtherCta && event.cta != of.any->cta) ||
               (!of.hasOtherCluster && event.cluster != of.any->cluster);
      if (!of.any)
        of.any = &event;
      of.hasOtherCta |= event.cta != of.any->cta;
      of.hasOtherCluster |= event.cluster != of.any->cluster;
    }
    return stays;
  }

private:
  struct Latest {
    const Event *any = nullptr;
    bool hasOtherCta = false, hasOtherCluster = false;
  };
  std::array<Latest, 3> latest; ///< CTA scope, up to cluster scope, all
};
} // namespace

/// Returns the end of the chain that begins with `writes`: its first write and
/// what has read and rewritten the value since.
static size_t endOfChain(const Checker &check,
                         llvm::ArrayRef<AccessLog::Item> writes) {
  size_t end = 0;
  while (end < writes.size() && check.log[writes[end].event].isStrong) {
    const Event &event = check.log[writes[end++].event];
    if (!event.isAtomic && !event.isRead)
      break;
  }
  return end;
}

/// Appends what stays of the chain that the present read-modify-write goes on.
/// If an older chain stays, so does the write that parts them.
static void keepWitnesses(const Checker &check,
                          llvm::ArrayRef<AccessLog::Item> chain, bool hasOlder,
                          llvm::SmallVectorImpl<AccessLog::Item> &kept) {
  ScopeWitnesses witnesses;
  witnesses.add(check.log[check.event]);
  size_t used = 0; // up to the last write that stays
  for (const AccessLog::Item &item : chain) {
    const Event &event = check.log[item.event];
    bool stays =
        event.isRead || witnesses.add(event) || (hasOlder && !event.isAtomic);
    if (stays)
      kept.push_back(item);
    if (stays && !event.isRead)
      used = kept.size();
  }
  kept.truncate(used);
}

/// Returns whether a chain has a write that this one does not stand for.
static bool mustStay(Checker &check, llvm::ArrayRef<AccessLog::Item> chain,
                     uint32_t mine) {
  return llvm::any_of(chain, [&](const AccessLog::Item &item) {
    const Event &event = check.log[item.event];
    return !event.isRead &&
           (item.event == check.event || !covers(check, event) ||
            unordered(check, item, mine));
  });
}

/// Returns `set` with this strong write.
static AccessSet withStrongWrite(Checker &check, AccessSet set, uint32_t mine) {
  llvm::SmallVector<AccessLog::Item, 8> writes, kept;
  for (; set; set = writes.back().rest)
    writes.push_back(check.log.first(set));
  llvm::ArrayRef<AccessLog::Item> rest = writes;
  if (check.kind == AccessKind::atomic) {
    // Lanes take their turns from lane 0 up.
    mine = 1u << (31 - __builtin_clz(mine));
    size_t end = endOfChain(check, rest);
    bool hasOlder = end < rest.size() && check.log[rest[end].event].isStrong;
    keepWitnesses(check, rest.take_front(end), hasOlder, kept);
    kept.append(rest.begin() + end, rest.end());
    return makeSet(check, kept, mine);
  }
  while (size_t end = endOfChain(check, rest)) {
    if (mustStay(check, rest.take_front(end), mine))
      kept.append(rest.begin(), rest.begin() + end);
    rest = rest.drop_front(end);
  }
  kept.append(rest.begin(), rest.end());
  return makeSet(check, kept, mine);
}

/// PTX ISA, ld.global.nc: the bytes must not change while the kernel runs.
static void checkNonCoherent(Checker &check, const ShadowCell &cell,
                             uint32_t mine, const Spot &spot) {
  bool reads = check.op.isNonCoherent && cell.write;
  if (!reads && !(check.kind != AccessKind::read && (cell.read & readByNc)))
    return;
  AccessLog::Item item = {};
  for (AccessSet set = reads ? cell.write : cell.read & ~readByNc; set;
       set = item.rest) {
    item = check.log.first(set);
    const Event &event = check.log[item.event];
    if (event.grid == check.warp.cluster->grid.number &&
        (reads ? !event.isRead : event.op->isNonCoherent))
      break;
    item.event = 0;
  }
  // Launches before and after this one may write.
  if (!item.event && check.warp.cluster->machine.grids.size() > 1)
    return;
  std::string other = "an ld.global.nc";
  if (item.event)
    other = describeEvent(check.log[item.event], item.lanes, reads);
  report(check.warp, check.op, firstLane(mine), "nc-write",
         reads ? "ld.global.nc of bytes that the grid writes" + spot.str() +
                     ": " + other
               : "writes bytes that ld.global.nc reads" + spot.str() + ": " +
                     other);
}

/// Checks the access to a cell, and notes it. Returns whether a cell of the
/// same past would fare the same.
static bool access(Checker &check, ShadowCell &cell, uint32_t mine,
                   const Spot &spot) {
  if (check.op.isNonCoherent || (cell.read & readByNc))
    checkNonCoherent(check, cell, mine, spot);
  if (cell.write)
    checkSet(check, cell.write, mine, spot, true);
  if (check.kind == AccessKind::read) {
    if (cell.write && check.isStrong)
      cell.write = withReader(check, cell.write, mine);
    AccessSet mark = check.op.isNonCoherent ? readByNc : 0;
    if ((cell.read & ~readByNc) == 0)
      cell.read |= check.log.with(0, check.event, mine) | mark;
    else
      cell.read = withRead(check, cell.read, mine) | mark;
    return true;
  }
  if (cell.read & ~readByNc)
    checkSet(check, cell.read, mine, spot, false);
  if (check.isStrong) {
    cell.write = withStrongWrite(check, cell.write, mine);
    return true;
  }
  bool isRelease = false;
  if (cell.write) {
    const Event &last = check.log[check.log.first(cell.write).event];
    uint64_t bytes = uint64_t(sizeOf(last.op->type)) * last.op->count;
    isRelease = last.isStrong;
    if (isRelease) // keys are those of whole accesses
      forgetReleases(check.warp.cluster->machine, spot.key() & ~(bytes - 1));
  }
  cell.write = check.log.with(0, check.event, mine);
  cell.read &= readByNc;
  return !isRelease;
}

void quack::sim::accessCell(Checker &check, ShadowCell &cell, uint32_t mine,
                            const Spot &spot) {
  // The cells of one access often have one past, which may be long.
  if (check.lanesBefore == mine && check.before == cell) {
    cell = check.after;
    return;
  }
  ShadowCell before = cell;
  check.lanesBefore = access(check, cell, mine, spot) ? mine : 0;
  check.before = before;
  check.after = cell;
}
