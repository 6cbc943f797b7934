//===- lib/Raise/Labels.cpp - what loops run over ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation's loops get the axes of what it shares with its group: the tensors that
// members make or read. Loops that no such tensor has get an axis of their extent: any
// numbering of columns (rows) is as good as another, if all uses agree.
//
//===----------------------------------------------------------------------===//

#include "Group.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

namespace {
/// Loops whose axes are found one by one.
class Solver {
public:
  Solver(const View &view, RowSpace &space) : view(view), space(space) {
    loops.resize(view.extents.size());
    for (auto [loop, extent] : llvm::enumerate(view.extents))
      if (extent == 1)
        loops[loop] = Axes();
  }

  /// Takes over what the dimensions of an accessed tensor run over. Fails if that is at
  /// odds with what is known.
  bool unify(const Access &access, const Labels &labels);
  /// The same, where nothing is known yet, of single loops; leaves out what is at odds.
  void suggest(const Access &access, const Labels &labels);
  /// Gives each loop that is left an axis of its extent that no other loop has.
  bool complete();

  Labels take() const {
    return Labels(llvm::map_range(loops, [](const auto &axes) { return *axes; }));
  }

private:
  bool set(unsigned loop, const Axes &axes);
  /// Spreads the axes of one dimension over the loops that a reshape makes it of.
  bool distribute(ArrayRef<unsigned> parts, Axes axes);
  /// Returns whether no loop has an axis of `axes`.
  bool areFree(ArrayRef<unsigned> axes) const;

  const View &view;
  RowSpace &space;
  SmallVector<std::optional<Axes>> loops;
};
} // namespace

/// Returns whether a loop of extent `has` can run over axes of extent `wanted`. What is
/// `?` agrees where the same tensor has it, which is where axes come from.
static bool agree(int64_t has, int64_t wanted) {
  return has == wanted || ShapedType::isDynamic(has) || ShapedType::isDynamic(wanted);
}

bool Solver::set(unsigned loop, const Axes &axes) {
  if (loops[loop])
    return space.leaves(*loops[loop]) == space.leaves(axes);
  if (!agree(view.extents[loop], space.extentOf(space.leaves(axes))))
    return false;
  loops[loop] = axes;
  return true;
}

bool Solver::distribute(ArrayRef<unsigned> parts, Axes axes) {
  axes = space.leaves(axes);
  SmallVector<unsigned> left;
  for (unsigned loop : parts)
    if (!view.isUnit(loop))
      left.push_back(loop);
  if (left.size() == axes.size()) {
    for (auto [loop, axis] : llvm::zip_equal(left, axes))
      // Of a reshape, several `?` say nothing of which is which.
      if ((left.size() > 1 && view.extents[loop] != space.extentOf({axis})) ||
          !set(loop, {axis}))
        return false;
    return true;
  }
  for (unsigned loop : left) {
    Axes taken;
    int64_t wanted = view.extents[loop], has = 1;
    while (has != wanted) {
      if (axes.empty() || ShapedType::isDynamic(wanted))
        return false;
      int64_t extent = space.extentOf(axes.front());
      if (ShapedType::isDynamic(extent))
        return false;
      if (has * extent > wanted) {
        if (wanted % has != 0 || extent % (wanted / has) != 0)
          return false;
        auto [outer, inner] = space.split(axes.front(), wanted / has);
        axes.front() = inner;
        axes.insert(axes.begin(), outer);
        extent = wanted / has;
      }
      has *= extent;
      taken.push_back(axes.front());
      axes.erase(axes.begin());
    }
    if (!set(loop, taken))
      return false;
  }
  return axes.empty();
}

bool Solver::unify(const Access &access, const Labels &labels) {
  for (auto [dim, parts, axes] : llvm::enumerate(access.dims, labels)) {
    Axes leaves = space.leaves(axes);
    if (static_cast<int>(dim) == access.gatherDim) {
      if (leaves != space.all(/*areColumns=*/true))
        return false;
      continue;
    }
    bool isRight = parts.empty()       ? leaves.empty()
                   : parts.size() == 1 ? set(parts.front(), leaves)
                                       : distribute(parts, leaves);
    if (!isRight)
      return false;
  }
  return true;
}

bool Solver::areFree(ArrayRef<unsigned> axes) const {
  for (const std::optional<Axes> &has : loops)
    if (has)
      for (unsigned axis : space.leaves(*has))
        if (llvm::is_contained(axes, axis))
          return false;
  return true;
}

void Solver::suggest(const Access &access, const Labels &labels) {
  for (auto [dim, parts, axes] : llvm::enumerate(access.dims, labels)) {
    Axes leaves = space.leaves(axes);
    if (parts.size() == 1 && !loops[parts.front()] && areFree(leaves))
      set(parts.front(), leaves);
  }
}

bool Solver::complete() {
  Axes rows = space.all(/*areColumns=*/false), columns = space.all(/*areColumns=*/true);
  for (auto [loop, axes] : llvm::enumerate(loops)) {
    if (axes)
      continue;
    SmallVector<Axes> candidates{columns};
    for (unsigned column : columns)
      candidates.push_back({column});
    if (!view.combines(loop)) {
      for (unsigned row : rows)
        candidates.push_back({row});
      candidates.push_back(rows);
    }
    for (const Axes &candidate : candidates)
      // An extent of ? may be another one.
      if (!ShapedType::isDynamic(view.extents[loop]) &&
          space.extentOf(candidate) == view.extents[loop] && areFree(candidate)) {
        axes = candidate;
        break;
      }
    if (!axes)
      return false;
  }
  return true;
}

std::optional<Labels> Group::solve(const View &view) {
  Solver solver(view, space);
  if (llvm::any_of(view.results,
                   [&](const Access &result) { return disputed.contains(result.tensor); }))
    return std::nullopt;
  for (const Access &result : view.results)
    if (auto it = demanded.find(result.tensor);
        it != demanded.end() && !solver.unify(result, it->second))
      return std::nullopt;
  for (const Access &read : view.reads)
    if (auto it = produced.find(read.tensor);
        it != produced.end() && !solver.unify(read, it->second))
      return std::nullopt;
  for (const Access &read : view.reads)
    if (auto it = demanded.find(read.tensor);
        it != demanded.end() && !produced.contains(read.tensor))
      solver.suggest(read, it->second);
  if (!solver.complete())
    return std::nullopt;
  Labels loops = solver.take();
  if (!isConsistent(view, loops))
    return std::nullopt;
  return loops;
}

bool Group::isConsistent(const View &view, const Labels &loops) const {
  // Two loops over one axis would be its diagonal.
  Axes used = space.leaves(loops);
  llvm::sort(used);
  if (std::adjacent_find(used.begin(), used.end()) != used.end())
    return false;
  // All columns, or none: a part of them is no row.
  size_t columns = llvm::count_if(used, [&](unsigned axis) { return space.isColumn(axis); });
  if (columns != 0 && columns != space.all(/*areColumns=*/true).size())
    return false;
  // All columns are combined, or none; and so are rows, but only by what is no member's
  // operand.
  Axes combined[2];
  for (auto [loop, axes] : llvm::enumerate(loops))
    if (view.combines(loop))
      for (unsigned axis : space.leaves(axes))
        combined[space.isColumn(axis)].push_back(axis);
  for (bool areColumns : {false, true})
    if (!combined[areColumns].empty() && combined[areColumns] != space.all(areColumns))
      return false;
  bool isNeeded = llvm::any_of(view.results, [&](const Access &result) {
    return demanded.contains(result.tensor);
  });
  if (!combined[/*rows*/ 0].empty() && (isNeeded || view.softmaxLoop >= 0))
    return false;
  // What is read from memory must have the form of an operand.
  for (const Access &read : view.reads) {
    Labels labels = labelsOf(read, loops);
    if (!produced.contains(read.tensor) && !isSplat(read.tensor) && !space.roleOf(labels))
      return false;
    if (read.gatherDim >= 0 && !produced.contains(read.tensor) &&
        cast<RankedTensorType>(read.tensor.getType()).getDimSize(read.gatherDim) !=
            space.columns())
      return false;
  }
  return true;
}

Labels Group::labelsOf(const Access &access, const Labels &loops) const {
  Labels labels;
  for (auto [dim, parts] : llvm::enumerate(access.dims)) {
    Axes axes;
    if (static_cast<int>(dim) == access.gatherDim)
      axes = space.all(/*areColumns=*/true);
    for (unsigned loop : parts)
      axes.append(space.leaves(loops[loop]));
    labels.push_back(axes);
  }
  return labels;
}
