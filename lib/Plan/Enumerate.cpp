//===- lib/Plan/Enumerate.cpp - the legal plans of a kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the plan space that the pins leave open.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "FewRows.h"
#include "RowSums.h"

#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

namespace {
class Enumerator {
public:
  Enumerator(const KernelTraits &traits, const Target &target, tv::PlanAttr pins)
      : traits(traits), target(target), pins(pins), context(pins.getContext()),
        maySplit(pins.mayChangeTree() && hasFewRows(traits, target) &&
                 !traits.accumulates) {}

  SmallVector<CostedPlan> run(std::string &whyNot);

private:
  /// Returns the pinned value alone, or all of `choices`.
  static SmallVector<int64_t> pinned(int64_t pin, ArrayRef<int64_t> choices) {
    return pin ? SmallVector<int64_t>{pin} : SmallVector<int64_t>(choices);
  }
  int64_t widestVector() const;
  int64_t vectorSize() const {
    return pins.getVectorSize() ? pins.getVectorSize() : widestVector();
  }
  SmallVector<int64_t> threadsChoices() const;
  SmallVector<int64_t> threadsPerRowChoices(int64_t threads) const;
  SmallVector<int64_t> splitChoices(int64_t threads, int64_t threadsPerRow,
                                    int64_t cluster) const;
  void tryShapes();
  /// Whether some plan has each row within one cluster.
  bool fitsCluster() const;
  void tryShape(int64_t threads, int64_t threadsPerRow, int64_t cluster,
                int64_t split);
  void tryHolds(int64_t threads, int64_t threadsPerRow, int64_t rowsPerThread,
                int64_t cluster, int64_t split);
  /// Adds the plan that `withCtas` makes of a number of CTAs an SM, if legal.
  /// What is not asked for breaks no rule that is worth naming.
  void tryPlan(llvm::function_ref<tv::PlanAttr(int64_t)> withCtas, bool isAsked = true);
  int64_t mostKept(llvm::function_ref<tv::PlanAttr(int64_t)> withKept) const;
  bool mayStay(int64_t cluster) const;
  /// One way in which operands are held.
  struct Way {
    tv::Hold rows;
    bool keepsWeights; ///< loaded once, for all tiles
    bool stays; ///< of a kernel that does not accumulate
  };
  SmallVector<Way> ways(int64_t cluster) const;
  DictionaryAttr holds(Way way) const;
  DictionaryAttr stores(int64_t rowBytes) const;

  const KernelTraits &traits;
  const Target &target;
  tv::PlanAttr pins;
  MLIRContext *context;
  SmallVector<CostedPlan> plans;
  /// Whether a row may be split over several clusters.
  bool maySplit;
  /// Whether rows may be read again, in narrower accesses, where there are sums of rows.
  bool mayWaste = false;
  /// The rule that the plan with the most threads a row breaks: it is the nearest to
  /// a legal one.
  std::string lastViolation;
};
} // namespace

/// Runs of a thread beyond which a slice is no shorter than a cluster's row.
static constexpr int64_t maxRunsOfSlice = 32;

/// Rows and weights that ptxas was seen to load without being told of its registers.
static constexpr int64_t manyOperands = 5;

/// Operations an element whose intermediate numbers ptxas was seen to have room
/// for, beside what it shifts into place.
static constexpr int64_t manyOperations = 12;

/// The widest run that fills 16 bytes of the narrowest row operand. A row that
/// is shorter takes what divides it, so that contiguous rows are aligned to it.
/// Rows of bytes beside wider ones are accessed by 8: runs of 16 would need
/// twice the registers for their f32, and spill.
int64_t Enumerator::widestVector() const {
  int64_t narrowest = traits.narrowestBytes();
  bool hasWider =
      llvm::any_of(traits.operands, [](const OperandTraits &operand) {
        return operand.role == Role::row && operand.bytes > 1;
      });
  if (hasWider)
    narrowest = std::max<int64_t>(2, narrowest);
  int64_t widest = tv::maxAccessBytes / narrowest;
  // Shorter pieces leave registers for sums.
  if (traits.rowSums > 0 && mayWaste)
    widest = std::min<int64_t>(widest, 2);
  if (traits.columns >= widest)
    return widest;
  int64_t divisor = traits.columns & -traits.columns;
  // Rows that start anywhere are shifted by words at least.
  return divisor * traits.narrowestBytes() < 4 ? 1 : divisor;
}

/// Powers of two, and where the threads of a row are pinned to another number, its
/// multiples by powers of two.
SmallVector<int64_t> Enumerator::threadsChoices() const {
  int64_t odd = std::max(warpSize, pins.getThreadsPerRow());
  if (pins.getThreads() || llvm::isPowerOf2_64(odd))
    return pinned(pins.getThreads(), {64, 128, 256, 512, 1024});
  SmallVector<int64_t> choices;
  for (int64_t threads = odd; threads <= 1024; threads *= 2)
    choices.push_back(threads);
  return choices;
}

SmallVector<int64_t> Enumerator::threadsPerRowChoices(int64_t threads) const {
  if (pins.getThreadsPerRow())
    return {pins.getThreadsPerRow()};
  SmallVector<int64_t> choices;
  for (int64_t part : {1, 2, 4, 8, 16})
    choices.push_back(part);
  for (int64_t whole = warpSize; whole <= threads; whole *= 2)
    choices.push_back(whole);
  if (!llvm::is_contained(choices, threads))
    choices.push_back(threads);
  return choices;
}

/// Clusters of a kernel that does not accumulate may stay for the sake of its weights,
/// where rows are so long that they come from L2 for each row, and to overlap tiles.
bool Enumerator::mayStay(int64_t cluster) const {
  bool hasReason = pins.getOverlap().value_or(false) || llvm::any_of(traits.operands, [](const OperandTraits &operand) {
    return operand.role == Role::columns && operand.isLoaded;
  });
  return !traits.accumulates && cluster > 1 && hasReason && mayOverlap(traits) &&
         !hasFewRows(traits, target) && !pins.getSplit() &&
         pins.getAlignment() != tv::Alignment::element;
}

SmallVector<Enumerator::Way> Enumerator::ways(int64_t cluster) const {
  // Where one tile follows the other, the next one's copies are under way.
  bool stay = traits.accumulates || pins.getPartials() > 0;
  tv::Hold staged = stay ? tv::Hold::async : tv::Hold::bulk;
  SmallVector<Way> ways;
  for (tv::Hold hold :
       {tv::Hold::registers, tv::Hold::packed, staged, tv::Hold::reload}) {
    ways.push_back({hold, false, false});
    // Rows that are read again are reduced in chunks, with their weights.
    if (traits.rowSums > 0 && hold != tv::Hold::reload &&
        pins.getAlignment() != tv::Alignment::element)
      ways.push_back({hold, true, false});
  }
  if (mayStay(cluster))
    ways.push_back({tv::Hold::async, true, true});
  return ways;
}

DictionaryAttr Enumerator::holds(Way way) const {
  NamedAttrList list;
  for (const OperandTraits &operand : traits.operands) {
    if (!operand.isLoaded)
      continue;
    tv::Hold hold = operand.role == Role::row       ? way.rows
                    : operand.role != Role::columns ? tv::Hold::registers
                    : !way.keepsWeights             ? tv::Hold::reload
                                                    : tv::Hold::packed;
    // Only 16-bit floats that wait, for another pass or tile, are cheaper packed.
    bool waits = traits.passes > 1 || operand.role == Role::columns;
    if (hold == tv::Hold::packed && (operand.bytes > 2 || !operand.isFloat || !waits))
      hold = tv::Hold::registers;
    hold = pins.holdOf(operand.name).value_or(hold);
    list.set(operand.name, tv::HoldAttr::get(context, hold));
  }
  return list.empty() ? DictionaryAttr() : list.getDictionary(context);
}

/// Long rows are streamed past the caches; short ones gain from write-back.
DictionaryAttr Enumerator::stores(int64_t rowBytes) const {
  NamedAttrList list;
  for (const OperandTraits &operand : traits.operands) {
    if (!operand.isStored || isSharedByRows(operand.role))
      continue;
    bool isLong = operand.role == Role::row && rowBytes >= 256 * 1024;
    tv::StorePolicy policy = pins.storePolicyOf(operand.name)
                                 .value_or(isLong ? tv::StorePolicy::streaming
                                                  : tv::StorePolicy::write_back);
    list.set(operand.name, tv::StorePolicyAttr::get(context, policy));
  }
  return list.empty() ? DictionaryAttr() : list.getDictionary(context);
}

void Enumerator::tryHolds(int64_t threads, int64_t threadsPerRow,
                          int64_t rowsPerThread, int64_t cluster,
                          int64_t split) {
  NamedAttrList loads;
  int64_t rowBytes = 0;
  for (const OperandTraits &operand : traits.operands) {
    if (operand.isLoaded)
      loads.set(operand.name,
                tv::LoadPolicyAttr::get(context, pins.loadPolicyOf(operand.name)
                                                     .value_or(tv::LoadPolicy::cached)));
    if (operand.role == Role::row)
      rowBytes = std::max(rowBytes, operand.bytes * traits.columns);
  }
  auto exchange = pins.getExchange().value_or(tv::Exchange::warps);
  llvm::SmallDenseSet<std::pair<Attribute, int64_t>> seen;
  for (Way way : ways(cluster)) {
    // One row after the other: of more, a thread's pieces took longer, or spilled.
    if (way.stays && rowsPerThread > 1 && !pins.getRowsPerThread())
      continue;
    DictionaryAttr held = holds(way);
    bool isWasteful =
        traits.rowSums > 0 && way.rows == tv::Hold::reload && !mayWaste;
    // How many stay follows from the cost.
    int64_t partials = way.stays && !pins.getPartials() ? 1 : pins.getPartials();
    if (isWasteful || !seen.insert({held, partials}).second)
      continue;
    auto withOverlap = [&](int64_t ctasPerSM, int64_t kept, std::optional<bool> overlap) {
      return tv::PlanAttr::get(
          context, threads, threadsPerRow, rowsPerThread, cluster, vectorSize(),
          pins.getAlignment(), ctasPerSM, exchange, held, kept,
          loads.empty() ? DictionaryAttr() : loads.getDictionary(context),
          stores(rowBytes), split, pins.getRowsHint(), pins.getReproducible(),
          pins.getLeastRows(), partials, overlap);
    };
    auto with = [&](int64_t ctasPerSM, int64_t kept) {
      return withOverlap(ctasPerSM, kept, pins.getOverlap());
    };
    bool isPinnedOtherwise =
        way.stays && llvm::any_of(traits.operands, [&](const OperandTraits &operand) {
          return operand.role == Role::row && operand.isLoaded &&
                 pins.holdOf(operand.name).value_or(way.rows) != way.rows;
        });
    if (isPinnedOtherwise)
      continue;
    bool isReload = reloadsRows(traits, with(0, 0));
    int64_t least = std::max<int64_t>(isReload ? 0 : -1, pins.getKept());
    tryPlan([&](int64_t ctasPerSM) { return with(ctasPerSM, least); },
            /*isAsked=*/!way.stays);
    if (way.rows == tv::Hold::async && cluster > 1 && mayOverlap(traits) &&
        !pins.getOverlap())
      tryPlan([&](int64_t ctasPerSM) { return withOverlap(ctasPerSM, least, true); },
              /*isAsked=*/false);
    // As much as one resident CTA, or each of two, has shared memory for. Where
    // nothing is read again, rows that start anywhere gain from two alone.
    bool onceAnywhere = isReload && !countRereads(traits) &&
                        pins.getAlignment() == tv::Alignment::element;
    SmallVector<int64_t, 2> ctasChoices{1, 2};
    if (pins.getCtasPerSM() >= 0)
      ctasChoices = {pins.getCtasPerSM()};
    for (int64_t ctas : ctasChoices)
      if (int64_t most = mostKept([&](int64_t kept) {
            return with(ctas, kept);
          }))
        tryPlan([&](int64_t) { return with(ctas, most); });
      else if (onceAnywhere)
        tryPlan([&](int64_t) { return with(ctas, least); });
  }
}

/// Returns how many elements a thread can keep in shared memory, where `withKept`
/// holds rows by reload.
int64_t
Enumerator::mostKept(llvm::function_ref<tv::PlanAttr(int64_t)> withKept) const {
  tv::PlanAttr plan = withKept(0);
  if (pins.getKept() >= 0 || !reloadsRows(traits, plan) || !countRereads(traits) ||
      !violatedRule(traits, target, plan).empty())
    return 0;
  int64_t vector = plan.getVectorSize();
  int64_t kept = plan.getElementsPerThread(traits.columns);
  Target roomy = target;
  roomy.sharedPerSM = roomy.sharedPerCta = target.sharedBesideL1;
  while ((kept -= vector) > 0)
    if (violatedRule(traits, roomy, withKept(kept)).empty())
      return kept;
  return 0;
}

void Enumerator::tryPlan(llvm::function_ref<tv::PlanAttr(int64_t)> withCtas,
                         bool isAsked) {
  tv::PlanAttr plan = withCtas(std::max<int64_t>(0, pins.getCtasPerSM()));
  std::string violation = violatedRule(traits, target, plan);
  CostedPlan cost;
  if (violation.empty()) {
    cost = costPlan(traits, target, plan);
    if (cost.ctasPerSM == 0)
      violation = "a CTA's " + std::to_string(plan.getThreads()) + " threads of " +
                  std::to_string(cost.registers) +
                  " registers must fit an SM, whose registers are allotted by warps";
  }
  if (!violation.empty()) {
    if (isAsked && plan.getRowsPerThread() <= std::max<int64_t>(1, pins.getRowsPerThread()))
      lastViolation = violation;
    return;
  }
  // Told nothing of a kernel of many operands, ptxas may spill for the sake of more CTAs
  // than its loads allow. What it is told leaves it more registers than the estimate.
  auto isWide = [](const OperandTraits &operand) {
    return operand.isLoaded && !isOneNumber(operand.role) &&
           !hasOwnColumns(operand.role);
  };
  bool hasMany = llvm::count_if(traits.operands, isWide) > manyOperands;
  int64_t told = 0;
  if (hasMany)
    told = std::max<int64_t>(1, cost.ctasPerSM * 2 / 3);
  // Told nothing, ptxas spills a few words of a single-pass kernel for the sake
  // of one more CTA. Others it would let have twice the registers that they
  // need.
  else if (traits.passes == 1)
    told = std::max<int64_t>(1, cost.ctasPerSM / 2);
  if (spillsUntold(traits, plan))
    told = cost.ctasPerSM;
  // Told nothing, ptxas halves a large CTA's registers for the sake of a second one, and
  // does not see that buckets need more than the rest.
  if (traits.picks > 0 && !plan.startsAnywhere() && plan.getThreads() >= 512)
    told = std::max<int64_t>(1, cost.ctasPerSM / 2);
  else if (traits.picks > 32 && !plan.startsAnywhere())
    told = cost.ctasPerSM;
  // Several partial results, several rows, or long sums of terms, beside words
  // that wait to be shifted.
  bool hasRows = plan.getRowsPerThread() > 1 &&
                 llvm::count_if(traits.operands, isWide) > 1;
  if (plan.startsAnywhere() &&
      (hasRows || traits.combines || traits.partials > 2 ||
       traits.operations > manyOperations))
    told = std::max<int64_t>(1, (told ? told : cost.ctasPerSM) / 2);
  if (told > 0 && pins.getCtasPerSM() < 0)
    cost.plan = withCtas(told);
  // All clusters that stay are to be resident: ptxas is told.
  if (stays(traits, plan)) {
    if (pins.getCtasPerSM() < 0)
      cost.plan = withCtas(cost.ctasPerSM);
    int64_t pinned = cost.plan.getCtasPerSM();
    int64_t resident = pinned > 0 ? pinned : cost.ctasPerSM;
    if (!pins.getPartials()) {
      tv::PlanAttr staying =
          cost.plan.withPartials(choosePartials(target, cost.plan, resident));
      cost = costPlan(traits, target, plan.withPartials(staying.getPartials()));
      cost.plan = staying;
    }
  }
  plans.push_back(cost);
}

/// Splits that give a thread 1, 2, 4, ... runs of a row, beside none.
SmallVector<int64_t> Enumerator::splitChoices(int64_t threads,
                                              int64_t threadsPerRow,
                                              int64_t cluster) const {
  if (pins.getSplit())
    return {pins.getSplit()};
  SmallVector<int64_t> choices{0};
  bool fillsCta = threadsPerRow == threads || pins.getThreadsPerRow();
  if (!maySplit || !fillsCta || threadsPerRow < warpSize)
    return choices;
  for (int64_t runs = 1; runs <= maxRunsOfSlice; runs *= 2) {
    int64_t split = llvm::divideCeil(traits.columns, cluster * threadsPerRow *
                                                         vectorSize() * runs);
    if (split > 1 && split <= tv::maxSplit &&
        !llvm::is_contained(choices, split))
      choices.push_back(split);
  }
  return choices;
}

void Enumerator::tryShape(int64_t threads, int64_t threadsPerRow,
                          int64_t cluster, int64_t split) {
  bool isPinned = pins.getThreadsPerRow() || pins.getCluster();
  int64_t perCta =
      llvm::divideCeil(traits.columns, cluster * std::max<int64_t>(1, split));
  bool isAsked = pins.getThreadsPerRow() && (cluster == 1 || pins.getCluster()) &&
                 (split <= 1 || pins.getSplit());
  if ((cluster > 1 || split > 1) && threadsPerRow < warpSize && !isAsked)
    return;
  // More threads than vectors only pad; a slice has a warp at least, and so has
  // a row of which elements are picked.
  int64_t least = pins.getSplit() > 1 || traits.picks > 0 ? warpSize : 1;
  if (!isPinned && threadsPerRow > least &&
      threadsPerRow / 2 * vectorSize() >= perCta)
    return;
  for (int64_t rows : pinned(pins.getRowsPerThread(), {1, 2, 4}))
    // Sums over rows leave no registers for more rows; in clusters, and of more than a
    // warp, two took longer than one after the other.
    if (traits.accumulates && rows > (cluster > 1 || threadsPerRow > warpSize ? 1 : 2) &&
        !pins.getRowsPerThread())
      continue;
    else if (split <= 1 || rows == 1 || pins.getRowsPerThread())
      tryHolds(threads, threadsPerRow, rows, cluster, split);
}

void Enumerator::tryShapes() {
  // The CTAs of a cluster do not pick together.
  SmallVector<int64_t> clusters{1, 2, 4, 8, 16};
  if (traits.picks > 0)
    clusters = {1};
  llvm::erase_if(clusters, [&](int64_t cluster) { return cluster > target.maxCluster; });
  for (int64_t cluster : pinned(pins.getCluster(), clusters))
    for (int64_t threads : threadsChoices())
      for (int64_t threadsPerRow : threadsPerRowChoices(threads))
        if (threads % threadsPerRow == 0)
          for (int64_t split : splitChoices(threads, threadsPerRow, cluster))
            tryShape(threads, threadsPerRow, cluster, split);
}

bool Enumerator::fitsCluster() const {
  auto free = tv::PlanAttr::get(
      context, /*threads=*/0, /*threadsPerRow=*/0, /*rowsPerThread=*/0,
      /*cluster=*/0, /*vector=*/0, pins.getAlignment(), /*ctasPerSM=*/-1,
      std::nullopt, /*hold=*/DictionaryAttr(), /*kept=*/-1,
      /*load=*/DictionaryAttr(),
      /*store=*/DictionaryAttr(), /*split=*/0, /*rows=*/0,
      pins.getReproducible(),
      /*leastRows=*/0, /*partials=*/0, /*overlap=*/std::nullopt);
  Enumerator unpinned(traits, target, free);
  unpinned.tryShapes();
  return !unpinned.plans.empty();
}

SmallVector<CostedPlan> Enumerator::run(std::string &whyNot) {
  tryShapes();
  // Sums over rows of which no cluster can hold a row and its sum otherwise.
  if (plans.empty() && traits.rowSums > 0) {
    mayWaste = true;
    tryShapes();
  }
  // A row that no cluster can take is split however many there are: its tree
  // is still the same for all M.
  if (plans.empty() && !maySplit && !pins.getSplit() && !traits.accumulates &&
      !fitsCluster()) {
    std::string violation = lastViolation;
    maySplit = true;
    tryShapes();
    lastViolation = violation;
  }
  llvm::stable_sort(plans, [](const CostedPlan &lhs, const CostedPlan &rhs) {
    return lhs.time < rhs.time;
  });
  whyNot = lastViolation;
  return std::move(plans);
}

SmallVector<CostedPlan> quack::enumeratePlans(const KernelTraits &traits,
                                              const Target &target,
                                              tv::PlanAttr pins,
                                              std::string &whyNot) {
  return Enumerator(traits, target, pins).run(whyNot);
}
