//===- lib/Plan/CostModel.cpp - legality and cost of a plan -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA loads its rows, lets partials meet, and stores: its memory waits idle
// during the exchange, so other resident CTAs must keep the SM's share of the
// bandwidth busy (Little's law). The model takes the slowest of memory, latency
// (resident bytes over a CTA's time), the launch of CTAs, instruction issue and
// MUFU. Launches that do not fill the GPU are another model's (FewRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "FewRows.h"
#include "RowSums.h"

#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Dialect/QuackTV/PickBuffer.h"
#include "quack/Dialect/QuackTV/PlanNumbers.h"
#include "quack/Layout/LayoutGroups.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace quack;

tv::Hold quack::holdOf(const OperandTraits &operand, tv::PlanAttr plan) {
  return plan.holdOf(operand.name)
      .value_or(operand.role == Role::columns ? tv::Hold::reload
                                              : tv::Hold::registers);
}

static bool isRowInput(const OperandTraits &operand) {
  return operand.role == Role::row && operand.isLoaded;
}

bool quack::reloadsRows(const KernelTraits &traits, tv::PlanAttr plan) {
  return llvm::any_of(traits.operands, [&](const OperandTraits &operand) {
    return isRowInput(operand) && holdOf(operand, plan) == tv::Hold::reload;
  });
}

bool quack::spillsUntold(const KernelTraits &traits, tv::PlanAttr plan) {
  // Words that were loaded wait to be shifted.
  return plan.startsAnywhere() && traits.loadedBytes() > 0 &&
         plan.getElementsPerThread(traits.columns) > 112;
}

bool quack::stays(const KernelTraits &traits, tv::PlanAttr plan) {
  return traits.accumulates || plan.getPartials() > 0;
}

/// Of a thread (CUDA C++ Programming Guide, compute capability 9.0).
static constexpr int64_t maxRegisters = 255;

bool quack::isReadAgain(const OperandTraits &operand, tv::PlanAttr plan) {
  return operand.isLoaded &&
         (operand.role == Role::row || operand.role == Role::columns) &&
         holdOf(operand, plan) == tv::Hold::reload;
}

/// Registers of what is read where it is used: the accesses under way, what was
/// shifted out of them, addresses, and what waits to be shifted into the windows of
/// another row that is stored.
static double registersOfReads(const KernelTraits &traits, tv::PlanAttr plan) {
  auto isRead = [&](const OperandTraits &operand) { return isReadAgain(operand, plan); };
  int64_t count = llvm::count_if(traits.operands, isRead);
  int64_t elements = plan.getElementsPerThread(traits.columns);
  int64_t runs = std::min(elements, tv::runsAhead(count) * plan.getVectorSize());
  double registers = 0, stored = 0;
  for (const OperandTraits &operand : traits.operands) {
    // Beside rows that stay packed, weights are used up as they arrive.
    bool areWide = traits.narrowestBytes() == 4 || plan.startsAnywhere();
    double share = operand.role == Role::row || areWide ? 1 : 0.5;
    if (isRead(operand))
      registers += (operand.role == Role::row ? 8 : 4) +
                   share * double(runs) * operand.bytes / 4 +
                   (plan.startsAnywhere() ? 8 : 0);
    if (isRead(operand) && operand.role == Role::row && plan.getKept() > 0)
      registers += 4;
    if (operand.role == Role::row && operand.isStored)
      stored += plan.startsAnywhere() && stored > 0 ? 20 : 4;
  }
  return registers > 0 ? registers + stored : 0;
}

/// Registers that a thread needs for one tile, as ptxas was seen to allot them.
static int64_t estimateForTile(const KernelTraits &traits, const Target &target,
                               tv::PlanAttr plan) {
  int64_t elements = plan.getElementsPerThread(traits.columns);
  double registers = 16;
  // Row values that wait for another pass; what was loaded early, which is shifted
  // before any of it is used up where rows start anywhere.
  double waiting = 0, loaded = 0;
  // What ptxas would like to read ahead.
  double wished = 0;
  for (const OperandTraits &operand : traits.operands) {
    if (!isRowInput(operand))
      continue;
    registers += plan.startsAnywhere() ? 8 : 4;
    // ptxas widens and reads ahead as far as it has registers.
    double ahead = operand.bytes == 4 ? 1 : 0.6;
    switch (holdOf(operand, plan)) {
    case tv::Hold::registers:
      // A single pass widens what it uses at once; more passes keep it wide.
      if (traits.passes == 1)
        registers += 8 + elements * operand.bytes / 4.0;
      else
        waiting = std::max<double>(waiting, elements * traits.liveRows);
      if (traits.passes > 1 && plan.startsAnywhere())
        loaded += elements * operand.bytes / 4.0 + (operand.bytes < 4 ? elements / 4 : 0);
      break;
    case tv::Hold::packed:
      // Words are shifted, and widened, at their use only.
      registers += (plan.startsAnywhere() ? 16 : 12) + elements * 0.5;
      break;
    case tv::Hold::reload:
      wished += 8 + elements * ahead;
      break;
    default:
      // Moments take a thread's elements twice: they stay as wide as they are
      // read.
      registers += 8 + elements * (traits.combines ? 1.1 : ahead);
    }
  }
  registers += std::max(waiting, loaded);
  // Weights that are held for all tiles.
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::columns && operand.isLoaded && stays(traits, plan) &&
        !isReadAgain(operand, plan))
      registers += elements * operand.bytes / 4.0 / double(plan.getRowsPerThread());
  // Which of a CTA's rows a thread has, beside several partial results.
  if (traits.combines && plan.getThreadsPerRow() < plan.getThreads())
    registers += 8;
  // Several partial results beside words that wait to be shifted, or beside a row that is
  // read again to be stored.
  bool isReadAgain = reloadsRows(traits, plan);
  if (traits.combines && plan.startsAnywhere() && !isReadAgain)
    registers += elements * 0.5;
  else if (traits.combines && isReadAgain && traits.storedBytes() > 0)
    registers += 16;
  // Groups' keys, and elements that bounds are compared with.
  if (traits.picks > 0 && !isReadAgain)
    registers += 8;
  if (traits.picks > 0)
    registers += std::min<int64_t>(elements,
                                   4 * traits.picks / plan.getThreadsPerRow() + 1);
  // Elements a group that wait for their store, and what ptxas computes ahead
  // while lanes meet.
  if (!traits.groups.empty() && traits.passes > 1)
    registers += 1.5 * elements;
  // Beside what groups of rows that are read again wait for: which row is theirs, or how
  // far it is shifted.
  bool isOffset =
      plan.getThreadsPerRow() < plan.getThreads() || plan.startsAnywhere();
  if (!traits.groups.empty() && isReadAgain && isOffset)
    registers += 0.5 * elements;
  // It reads ahead as far as the CTA's size leaves it registers.
  int64_t ctas = std::max<int64_t>(1, plan.getCtasPerSM());
  double left = target.registersPerSM / (plan.getThreads() * ctas) - registers;
  registers += std::max(registersOfReads(traits, plan), std::min(left, wished));
  // No thread has less than one run. Of a dozen operands and more it may spill a word,
  // but the sum is more than ptxas needs, and no kernel is refused.
  return elements > plan.getVectorSize()
             ? registers
             : std::min<double>(registers, maxRegisters);
}

/// Registers a thread needs.
static int64_t estimateRegisters(const KernelTraits &traits, const Target &target,
                                 tv::PlanAttr plan) {
  if (traits.rowSums > 0)
    return estimateAccumulating(traits, plan);
  int64_t forTile = estimateForTile(traits, target, plan);
  if (!traits.accumulates)
    return forTile;
  // Sums of scalars need few, the loop as many as others; but no tree that is legal
  // without them may be illegal with them.
  int64_t most =
      std::min<int64_t>(maxRegisters, target.registersPerSM / plan.getThreads());
  return std::max(forTile, std::min(estimateAccumulating(traits, plan), most));
}

static int64_t estimateShared(const KernelTraits &traits, tv::PlanAttr plan) {
  int64_t bytes = 0;
  for (const OperandTraits &operand : traits.operands) {
    tv::Hold hold = holdOf(operand, plan);
    if (isRowInput(operand) && (hold == tv::Hold::async || hold == tv::Hold::bulk))
      bytes += tv::countStageBuffers(traits.accumulates ? plan.withPartials(1) : plan) *
               plan.getRows() * plan.getPaddedColumns(traits.columns) /
               plan.getCtasPerRow() * operand.bytes;
    if (isRowInput(operand) && hold == tv::Hold::reload)
      bytes += plan.getThreads() * std::max<int64_t>(0, plan.getKept()) * operand.bytes;
  }
  int64_t warps = std::max<int64_t>(1, plan.getThreadsPerRow() / warpSize);
  if (plan.getCluster() > 1 || warps > 1)
    bytes += traits.exchanges * tv::countExchangeBuffers(plan) *
             (std::max<int64_t>(16, 4 * tv::exchangeSlotWords(traits.partials)) *
                  plan.getRows() * warps * plan.getCluster() +
              2 * tv::mbarrierBytes);
  if (traits.picks > 0 && warps > 0)
    bytes += plan.getRows() *
             tv::PickBuffer(traits.picks, warps, traits.picksSoftmax).bytes;
  return bytes + gatherBytes(traits, plan);
}

static int64_t estimateCtasPerSM(const Target &target, tv::PlanAttr plan,
                                 int64_t registers, int64_t sharedBytes) {
  // Registers are allotted to warps in units of 256, from the quarter of the SM
  // that the warp runs on.
  int64_t perWarp = llvm::alignTo(registers * warpSize, 256);
  int64_t warps = 4 * (target.registersPerSM / 4 / perWarp);
  int64_t byRegisters = warps / (plan.getThreads() / warpSize);
  int64_t byThreads = target.threadsPerSM / plan.getThreads();
  int64_t byShared = target.sharedPerSM / (sharedBytes + 1024);
  return std::min({byRegisters, byThreads, byShared, target.ctasPerSM});
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Code is unrolled over a thread's elements: beyond this it takes longer to
/// compile than it is worth.
static constexpr int64_t maxElementsPerThread = 128;

/// Of a CTA.
static constexpr int64_t mostThreads = 1024;

/// Rows whose bulk copies one thread may issue.
static constexpr int64_t maxBulkRows = 16;

/// Rules that concern one operand's hold.
static std::string violatedHold(const KernelTraits &traits, tv::PlanAttr plan,
                                const OperandTraits &operand) {
  tv::Hold hold = holdOf(operand, plan);
  std::string name = "operand '" + operand.name.str() + "' cannot be held " +
                     tv::stringifyHold(hold).str() + ": ";
  int64_t run = plan.getVectorSize() * operand.bytes;
  bool staged = hold == tv::Hold::async || hold == tv::Hold::bulk;
  if (staged && operand.role != Role::row)
    return name + "only row operands go through shared memory";
  if (isOneNumber(operand.role) && hold != tv::Hold::registers)
    return name + "a row's scalar waits in registers";
  if (hold == tv::Hold::bulk && stays(traits, plan))
    return name + "a cluster that stays works on one tile after the other, whose "
                  "copies are by async";
  if (hasOwnColumns(operand.role) && hold != tv::Hold::registers)
    return name + "an element a group, or a pick, waits in registers";
  if (staged && plan.loadPolicyOf(operand.name)
                        .value_or(tv::LoadPolicy::cached) != tv::LoadPolicy::cached)
    return name + "its load policy must be cached then, since copies into shared "
                  "memory take none";
  if (staged && plan.startsAnywhere())
    return name + "only rows that are aligned to 16 bytes go through shared "
                  "memory, not with alignment = element";
  if (staged && run % tv::maxAccessBytes != 0)
    return name + "vector * element bytes must be a multiple of 16, got " +
           std::to_string(run);
  if (hold == tv::Hold::bulk && plan.getRows() > maxBulkRows)
    return name + "one thread issues a copy for each of at most " +
           std::to_string(maxBulkRows) + " rows, got a tile of " +
           std::to_string(plan.getRows());
  return "";
}

/// Rules of slices of which elements are picked, or to which they are scattered.
static std::string violatedSlices(const KernelTraits &traits,
                                  tv::PlanAttr plan) {
  auto text = [](int64_t value) { return std::to_string(value); };
  int64_t widest = maxElementsPerThread * mostThreads;
  int64_t most = tv::maxSplit;
  if (traits.picksMeet)
    most = std::min(most, tv::maxSavedPicks / traits.picks);
  if (traits.columns > widest * most)
    return "a row of which " + text(traits.picks) +
           " elements are picked or scattered has at most " +
           text(widest * most) + " columns (" + text(most) + " slices of " +
           text(widest) + "), got " + text(traits.columns);
  int64_t slices = plan.getSlices();
  if (slices == 1 || !traits.picksMeet)
    return "";
  if (int64_t columns = plan.getPaddedColumns(traits.columns) / slices;
      columns < traits.picks)
    return "a slice of a row must have at least the " + text(traits.picks) +
           " elements that are picked, got " + text(columns) +
           " columns with split = " + text(slices);
  if (slices > most)
    return "of a row's slices at most " + text(tv::maxSavedPicks) +
           " elements meet, got " + text(traits.picks) + " of each of " +
           text(slices);
  return "";
}

/// Rules of kernels that pick elements: their threads meet in a warp or a CTA.
static std::string violatedPicks(const KernelTraits &traits,
                                 tv::PlanAttr plan) {
  if (traits.picks == 0)
    return "";
  if (traits.accumulates)
    return "a kernel that picks elements of its rows must not accumulate over "
           "rows";
  if (plan.getPartials() > 0)
    return "the clusters of a kernel that picks elements of its rows do not stay, got "
           "partials = " + std::to_string(plan.getPartials());
  if (plan.getKept() > 0)
    return "of a row of which elements are picked none are kept, got kept = " +
           std::to_string(plan.getKept());
  if (std::string rule = violatedSlices(traits, plan); !rule.empty())
    return rule;
  bool isWhole = plan.getThreadsPerRow() == warpSize ||
                 (plan.getThreadsPerRow() > warpSize &&
                  plan.getThreadsPerRow() == plan.getThreads());
  if (isWhole && plan.getRowsPerThread() == 1 && plan.getCluster() == 1)
    return "";
  return "a row of which elements are picked, or its slice, must have a warp, "
         "or all threads of one CTA, and no thread a second row, got "
         "threads_per_row = " +
         std::to_string(plan.getThreadsPerRow()) + " of " +
         std::to_string(plan.getThreads()) +
         ", rows_per_thread = " + std::to_string(plan.getRowsPerThread()) +
         ", cluster = " + std::to_string(plan.getCluster());
}

std::string quack::violatedRule(const KernelTraits &traits,
                                const Target &target, tv::PlanAttr plan) {
  auto text = [](int64_t value) { return std::to_string(value); };
  for (const OperandTraits &operand : traits.operands) {
    int64_t run = plan.getVectorSize() * operand.bytes;
    bool isWide = operand.role == Role::row || operand.role == Role::columns;
    if (plan.startsAnywhere() && isWide && plan.getVectorSize() > 1 && run < 4)
      return "with alignment = element an access takes at least 4 bytes of each "
             "operand, got " + text(run) + " of '" + operand.name.str() + "'";
  }
  if (plan.getCluster() > target.maxCluster)
    return "a cluster must have at most " + text(target.maxCluster) + " CTAs, got " +
           text(plan.getCluster());
  if (plan.getCluster() > 1 && plan.getThreadsPerRow() < warpSize)
    return "in a cluster a row needs whole warps: threads_per_row must be at "
           "least 32, got " +
           text(plan.getThreadsPerRow());
  if (plan.getSlices() > 1 && plan.getThreadsPerRow() < warpSize)
    return "where split > 1 a slice of a row needs whole warps: threads_per_row "
           "must be at least 32, got " +
           text(plan.getThreadsPerRow());
  if (std::string rule = violatedOverlap(traits, plan); !rule.empty())
    return rule;
  if (plan.getSlices() > 1 && stays(traits, plan))
    return "rows are not split over clusters that stay, as in a kernel that accumulates, "
           "got split = " +
           text(plan.getSplit());
  if (std::string rule = violatedPicks(traits, plan); !rule.empty())
    return rule;
  if (plan.getThreads() % plan.getThreadsPerRow() != 0)
    return "threads_per_row must divide threads = " + text(plan.getThreads()) +
           ", got " + text(plan.getThreadsPerRow());
  for (const OperandTraits &operand : traits.operands)
    if (std::string rule = violatedHold(traits, plan, operand); !rule.empty())
      return rule;
  int64_t padded = plan.getPaddedColumns(traits.columns);
  for (int64_t group : traits.groups)
    if (!groupColumns(plan.getLayout(traits.columns), {plan.getRows(), padded},
                      std::min(group, padded)))
      return "a group of " + text(group) +
             " columns must lie within a warp and end where a thread's run "
             "does, but "
             "a warp has " +
             text(padded / plan.getCtasPerRow() /
                  std::max<int64_t>(1, plan.getThreadsPerRow() / warpSize)) +
             " columns of a row: use another vector or threads_per_row";
  int64_t elements = plan.getElementsPerThread(traits.columns);
  if (elements > maxElementsPerThread)
    return "a thread must hold at most " + text(maxElementsPerThread) +
           " elements (its code is unrolled), got " + text(elements) +
           ": use more threads or a larger cluster";
  if (plan.getKept() > 0 && !reloadsRows(traits, plan))
    return "only of rows that are held by reload some elements are kept, got kept = " +
           text(plan.getKept());
  if (plan.getKept() > elements || std::max<int64_t>(0, plan.getKept()) % plan.getVectorSize() != 0)
    return "kept must be a multiple of vector = " + text(plan.getVectorSize()) +
           " and at most the " + text(elements) + " elements that a thread holds, got " +
           text(plan.getKept());
  int64_t shared = estimateShared(traits, plan);
  if (shared > target.sharedPerCta)
    return "shared memory of a CTA must be at most " + text(target.sharedPerCta) +
           " bytes, got " + text(shared);
  int64_t ctas = std::max<int64_t>(1, plan.getCtasPerSM());
  if (ctas * (shared + 1024) > target.sharedPerSM)
    return text(ctas) + " CTAs an SM, as ctas_per_sm asks, have " +
           text(target.sharedPerSM / ctas - 1024) +
           " bytes of shared memory each, got " + text(shared);
  int64_t registers = estimateRegisters(traits, target, plan);
  int64_t limit = std::min<int64_t>(
      maxRegisters, target.registersPerSM / plan.getThreads() /
               std::max<int64_t>(1, plan.getCtasPerSM()));
  if (registers > limit)
    return "a thread's registers must be at most " + text(limit) +
           ", got an estimated " + text(registers) + ": use more threads, a "
           "larger cluster, or hold rows packed or in shared memory";
  return "";
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Bytes of one row that are read and written.
double quack::bytesPerRow(const KernelTraits &traits) {
  return traits.loadedBytes() + traits.storedBytes();
}

/// Microseconds that partials are under way, in all meetings.
static double exchangeTime(const KernelTraits &traits, const Target &target,
                           tv::PlanAttr plan) {
  double time = 0;
  if (plan.getThreadsPerRow() > warpSize)
    time += target.blockExchange;
  // Its bounds are found by bisection.
  if (plan.getThreadsPerRow() > warpSize && traits.picks > 0)
    return (traits.rounds() + 5) * time;
  // Several numbers take longer on their way, and to merge; and longer still where their
  // row waits for them.
  bool areSeveral = traits.combines || traits.partials > 2;
  double several = !areSeveral ? 1 : traits.storedBytes() > 0 ? 2.4 : 1.4;
  if (plan.getCluster() > 1)
    time += several *
            (target.clusterExchange + target.clusterMember * plan.getCluster());
  return traits.rounds() * time;
}

/// The limits on an SM's traffic, in bytes a microsecond.
struct Limits {
  double memory; ///< its share of the bandwidth
  double latency; ///< resident bytes over the life of a CTA (Little's law)
  double launch; ///< bytes of a CTA over the time that its start takes
  double issue;  ///< one instruction a scheduler and cycle
  double mufu;   ///< 16 special functions a cycle
  /// Rows and weights on their way from L2; looked at where clusters stay.
  double l2 = std::numeric_limits<double>::infinity();
  double life;   ///< microseconds of a CTA, no limit of its own

  /// Each alone would be a corner; together they round it.
  double combined() const {
    double sum = 0;
    for (double limit : {memory, latency, launch, issue, mufu, l2})
      sum += std::pow(limit, -4.16);
    return std::pow(sum, -1 / 4.16);
  }
  const char *decisive() const {
    std::pair<double, const char *> named[] = {{memory, "memory"},
                                               {latency, "latency"},
                                               {launch, "launch"},
                                               {issue, "issue"},
                                               {mufu, "mufu"},
                                               {l2, "l2"}};
    return std::min_element(std::begin(named), std::end(named))->second;
  }
};

/// Operations of a warp at the ends of its columns, for rows that start anywhere:
/// windows that the row does not fill, and the window beyond the last run.
static constexpr double loadEnd = 40, storeEnd = 80;

/// Operations an element: those of the program and, where rows start anywhere,
/// those that shift words out of windows and treat the ends of a warp's columns.
static double operationsPerElement(const KernelTraits &traits, tv::PlanAttr plan) {
  double operations = traits.operations;
  if (!plan.startsAnywhere() || plan.getVectorSize() == 1)
    return operations;
  double ends = 1.0 / plan.getElementsPerThread(traits.columns);
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::row)
      operations += int(operand.isLoaded) * (1.2 + loadEnd * ends) +
                    int(operand.isStored) * (1.2 + storeEnd * ends);
  return operations;
}

/// The steps of the butterfly in which a warp's lanes meet, for all exchanges.
static double butterflySteps(const KernelTraits &traits, tv::PlanAttr plan) {
  return traits.exchanges *
         std::log2(double(std::min(warpSize, plan.getThreadsPerRow())));
}

/// What a warp does to collect a cluster's partials, in steps of a butterfly: accesses, a
/// butterfly, and waits, which few other warps fill where sums take most registers.
static double collectSteps(const KernelTraits &traits, tv::PlanAttr plan) {
  double warps =
      double(plan.getCluster()) * double(plan.getThreadsPerRow()) / double(warpSize);
  double waits = traits.rowSums > 0 ? 6 : 2;
  return double(traits.partials) *
         (warps / double(warpSize) + waits * std::log2(double(warpSize)));
}

/// Microseconds that a thread computes while none of its loads is under way.
static double serialTime(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan) {
  // The rows of a thread go through the butterfly side by side, more or less.
  return (plan.getElementsPerThread(traits.columns) * 4.85 *
              operationsPerElement(traits, plan) +
          target.shuffleLatency * butterflySteps(traits, plan) *
              std::sqrt(double(plan.getRowsPerThread()))) /
         target.clock;
}

/// Returns the bandwidth that the kernel's mix of loads and stores can reach.
static double reachableBandwidth(const KernelTraits &traits, const Target &target) {
  bool writesRows = llvm::any_of(traits.operands, [](const OperandTraits &operand) {
    return operand.role == Role::row && operand.isStored;
  });
  return writesRows ? target.bandwidth : target.readBandwidth;
}

int64_t quack::countRereads(const KernelTraits &traits) {
  // Reductions that meet in one exchange read a chunk together: online pairs.
  return traits.passes - 1 - traits.onlinePasses;
}

double quack::rereadBytes(const KernelTraits &traits, tv::PlanAttr plan) {
  double kept = std::max<int64_t>(0, plan.getKept());
  double notKept = std::max(0.0, 1 - kept / plan.getElementsPerThread(traits.columns));
  double bytes = 0;
  for (const OperandTraits &operand : traits.operands)
    if (isRowInput(operand) && holdOf(operand, plan) == tv::Hold::reload)
      bytes += traits.columns * operand.bytes;
  return countRereads(traits) * notKept * bytes;
}

/// Microseconds that reading rows again takes of the whole GPU's time, for one row:
/// from L2 if all rows under way fit there.
static double rereadTime(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan, int64_t ctasPerSM) {
  double underWay = bytesPerRow(traits) * plan.getRows() / plan.getCtasPerRow() *
                    ctasPerSM * target.sms;
  return rereadBytes(traits, plan) /
         (target.fitsL2(underWay) ? target.l2Bandwidth : target.readBandwidth);
}

/// The share of an access's sectors that its rows' neighbouring lanes use.
static double coalescing(const KernelTraits &traits, tv::PlanAttr plan) {
  double segment = std::min(warpSize, plan.getThreadsPerRow()) *
                   plan.getVectorSize() * traits.narrowestBytes();
  return segment / (segment + 8.75);
}

/// How often a CTA waits for memory as long as for its first load: once, and where a
/// row is read in chunks, in part again for each.
static double waitsForMemory(const KernelTraits &traits, tv::PlanAttr plan) {
  if (!reloadsRows(traits, plan))
    return 1;
  double chunks =
      double(plan.getElementsPerThread(traits.columns)) / tv::chunkElements;
  return std::max(1.0, chunks * 0.6 + 0.4);
}

/// Microseconds of the whole GPU's time in which one row's tile and what it needs of the
/// weights come from L2.
static double timeFromL2(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan) {
  double bytes = traits.loadedBytes();
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::columns && isReadAgain(operand, plan))
      bytes += double(traits.passes * traits.columns * operand.bytes) /
               double(plan.getRowsPerThread());
  return bytes / target.l2Bandwidth;
}

static Limits computeLimits(const KernelTraits &traits, const Target &target,
                            tv::PlanAttr plan, int64_t ctasPerSM) {
  double rowBytes = bytesPerRow(traits);
  double elementBytes = rowBytes / traits.columns;
  double ctaBytes = rowBytes * plan.getRows() / plan.getCtasPerRow();
  Limits limits;
  limits.memory =
      rowBytes /
      (rowBytes / reachableBandwidth(traits, target) +
       rereadTime(traits, target, plan, ctasPerSM)) /
      target.sms;
  double transfer = ctaBytes / limits.memory;
  limits.life = target.memoryLatency * waitsForMemory(traits, plan) +
                target.ctaTurnover + exchangeTime(traits, target, plan) +
                serialTime(traits, target, plan) + transfer;
  limits.launch = ctaBytes / (target.ctaLaunch *
                              (1 + target.clusterLaunch * (plan.getCluster() - 1)) *
                              (1 + 0.02 * (plan.getThreads() / warpSize - 2)));
  if (stays(traits, plan)) {
    // Its CTAs start once; a tile's turn is what takes the place of their life.
    limits.launch = std::numeric_limits<double>::infinity();
    // An SM without a resident cluster leaves its share to the others.
    limits.memory *= double(target.sms) / double(target.smsOfClusters(plan.getCluster()));
    limits.l2 = rowBytes / timeFromL2(traits, target, plan) / target.sms;
    // Where CTAs meet they wait for the last one's rows and work.
    double exchange = exchangeTime(traits, target, plan);
    double meeting = plan.getCluster() > 1 && !plan.overlapsTiles() ? exchange : 0;
    // Nobody waits for what is stored.
    double arrival = target.memoryLatency * waitsForMemory(traits, plan) +
                     transfer * traits.loadedBytes() / rowBytes;
    double inTurn = plan.getCluster() > 1 ? 0 : exchange;
    limits.life = turnOfTile(traits, plan, arrival,
                             inTurn + serialTime(traits, target, plan)) +
                  meeting;
  }
  limits.latency = ctasPerSM * ctaBytes / limits.life;
  // A step of the butterfly is a shuffle and a combination for each row; that of an
  // online pair rescales by exponentials.
  double steps = butterflySteps(traits, plan) * plan.getRowsPerThread() /
                 plan.getElementsPerThread(traits.columns);
  // Of overlapping tiles nobody waits for the exchange, but each warp collects what all
  // warps of the cluster have sent.
  double collected = 0;
  if (plan.overlapsTiles())
    collected = collectSteps(traits, plan) / double(plan.getElementsPerThread(traits.columns));
  limits.issue = elementBytes * 128 * target.clock /
                 (1.74 * (operationsPerElement(traits, plan) + 4.4 * (steps + collected)) +
                  traits.passes);
  double rescales = traits.exchanges > 0 ? steps / traits.exchanges : 0;
  double special = traits.exponentials + 1.14 * traits.onlinePasses * rescales;
  limits.mufu = elementBytes * 16 * target.clock / special;
  return limits;
}

/// What the model of few rows needs to know. The coefficients say how much of what
/// a full SM takes is left where few warps compete for it.
static CtaCost costOfCta(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan, int64_t ctasPerSM, const Limits &limits) {
  double ctaBytes = bytesPerRow(traits) * plan.getRows() / plan.getCtasPerRow();
  double special = double(plan.getElementsPerThread(traits.columns)) *
                   plan.getThreads() * traits.exponentials / (16 * target.clock);
  return {ctasPerSM, 0.4 * special + 0.5 * ctaBytes / limits.issue,
          0.36 * serialTime(traits, target, plan), coalescing(traits, plan)};
}

CostedPlan quack::costPlan(const KernelTraits &traits, const Target &target,
                           tv::PlanAttr plan) {
  CostedPlan cost;
  cost.plan = plan;
  cost.registers = estimateRegisters(traits, target, plan);
  cost.sharedBytes = estimateShared(traits, plan);
  cost.ctasPerSM =
      estimateCtasPerSM(target, plan, cost.registers, cost.sharedBytes);
  if (cost.ctasPerSM == 0)
    return cost;
  Limits limits = computeLimits(traits, target, plan, cost.ctasPerSM);
  double rowBytes = bytesPerRow(traits);
  cost.bytesInFlight =
      rowBytes / 2 * plan.getRows() / plan.getCtasPerRow() * cost.ctasPerSM;
  double rate = limits.combined() * coalescing(traits, plan);
  if (plan.getKept() > 0)
    rate *= target.keptRate;
  // What ptxas is told keeps its words in registers, and its loads late.
  if (spillsUntold(traits, plan))
    rate *= 0.85;
  // Padding columns take issue slots and registers, not bandwidth.
  double padding = double(plan.getPaddedColumns(traits.columns)) / traits.columns;
  rate /= 1 + 0.5 * (padding - 1);
  cost.decisive = limits.decisive();
  cost.roofline = reachableBandwidth(traits, target);
  if (hasFewRows(traits, target) || plan.getSlices() > 1) {
    bool isFull;
    double time = launchTime(traits, target, plan,
                             costOfCta(traits, target, plan, cost.ctasPerSM, limits),
                             isFull);
    cost.decisive = isFull ? "memory" : "rows";
    cost.bandwidth = traits.rows * rowBytes / time;
    cost.time = 1e6 * rowBytes / traits.columns / cost.bandwidth;
    return cost;
  }
  if (stays(traits, plan)) {
    if (!traits.accumulates)
      rate *= std::pow(target.stayRate,
                       std::min(1.0, traits.storedBytes() / traits.loadedBytes()));
    cost.bandwidth = rate * double(target.smsOfClusters(plan.getCluster())) *
                     shareOfTiles(traits, target, plan, cost.ctasPerSM);
    cost.time = 1e6 * rowBytes / traits.columns / cost.bandwidth;
    return cost;
  }
  // The first and the last wave of CTAs are not covered by others.
  double waves = std::ceil(double(traits.rows) / plan.getRows()) *
                 plan.getCtasPerRow() / (target.sms * cost.ctasPerSM);
  rate /= 1 + 1.55 / std::max(1.0, waves);
  cost.bandwidth = rate * target.sms;
  cost.time = 1e6 * rowBytes / traits.columns / cost.bandwidth;
  return cost;
}
