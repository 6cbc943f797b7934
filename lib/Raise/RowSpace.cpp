//===- lib/Raise/RowSpace.cpp - what dimensions run over --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSpace.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

unsigned RowSpace::addAxis(int64_t extent, bool isColumn) {
  roots.push_back(axes.size());
  axes.push_back({extent, isColumn, std::nullopt});
  return roots.back();
}

std::pair<unsigned, unsigned> RowSpace::split(unsigned axis, int64_t outer) {
  unsigned first = axes.size();
  bool isColumn = axes[axis].isColumn;
  int64_t extent = axes[axis].extent;
  axes.push_back({outer, isColumn, std::nullopt});
  axes.push_back({extent / outer, isColumn, std::nullopt});
  axes[axis].parts = {first, first + 1};
  return {first, first + 1};
}

Axes RowSpace::leaves(ArrayRef<unsigned> given) const {
  Axes result;
  for (unsigned axis : given) {
    if (auto parts = axes[axis].parts)
      result.append(leaves({parts->first, parts->second}));
    else
      result.push_back(axis);
  }
  return result;
}

Axes RowSpace::leaves(const Labels &labels) const {
  Axes result;
  for (const Axes &dim : labels)
    result.append(leaves(dim));
  return result;
}

int64_t RowSpace::extentOf(ArrayRef<unsigned> given) const {
  int64_t extent = 1;
  for (unsigned axis : given) {
    if (ShapedType::isDynamic(axes[axis].extent))
      return ShapedType::kDynamic;
    extent *= axes[axis].extent;
  }
  return extent;
}

Axes RowSpace::all(bool areColumns) const {
  Axes wanted;
  for (unsigned axis : roots)
    if (axes[axis].isColumn == areColumns)
      wanted.push_back(axis);
  return leaves(wanted);
}

std::optional<Role> RowSpace::roleOf(const Labels &labels) const {
  for (const Axes &dim : labels) {
    auto isOfColumn = [&](unsigned axis) { return isColumn(axis); };
    if (llvm::any_of(dim, isOfColumn) && !llvm::all_of(dim, isOfColumn))
      return std::nullopt;
  }
  Axes has = leaves(labels), rows = all(/*areColumns=*/false),
       columns = all(/*areColumns=*/true);
  if (has.empty())
    return Role::single;
  Axes both = rows;
  both.append(columns);
  if (has == both)
    return Role::row;
  if (has == rows)
    return Role::scalar;
  if (has == columns)
    return Role::columns;
  return std::nullopt;
}
