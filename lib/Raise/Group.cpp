//===- lib/Raise/Group.cpp - operations that share their rows ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Group.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

Operation *raise::ancestorIn(Block *block, Operation *op) {
  while (op && op->getBlock() != block)
    op = op->getParentOp();
  return op;
}

bool raise::isSplat(Value tensor, Attribute *element) {
  SplatElementsAttr splat;
  if (!matchPattern(tensor, m_Constant(&splat)))
    return false;
  if (element)
    *element = splat.getSplatValue<Attribute>();
  return true;
}

//===----------------------------------------------------------------------===//
// Seed
//===----------------------------------------------------------------------===//

/// Returns the tensor that `view` reads whole, each loop by one dimension: its layout
/// says what is a row.
static const Access *findWholeRead(const View &view) {
  for (const Access &read : view.reads) {
    if (read.extract)
      continue;
    size_t loops = llvm::count_if(read.dims, [](const auto &dim) { return dim.size() == 1; });
    size_t all = view.extents.size();
    size_t units = llvm::count_if(llvm::seq<unsigned>(0, all), [&](unsigned loop) {
      return view.isUnit(loop) &&
             llvm::none_of(read.dims,
                           [&](const auto &dim) { return llvm::is_contained(dim, loop); });
    });
    if (loops + units == all)
      return &read;
  }
  return nullptr;
}

std::optional<Group> Group::seed(Operation *anchor, Form form, std::string &whyNot) {
  std::optional<View> view = View::of(anchor, whyNot);
  if (!view)
    return std::nullopt;
  const Access *whole = findWholeRead(*view);
  if (!whole) {
    whyNot = "no tensor that it reads holds the rows that it combines";
    return std::nullopt;
  }
  Group group;
  group.anchor = anchor;
  Labels loops(view->extents.size());
  SmallVector<unsigned> dims; // that are more than 1
  for (auto [dim, parts] : llvm::enumerate(whole->dims))
    if (!parts.empty() && !view->isUnit(parts.front()))
      dims.push_back(dim);
  auto isCombined = [&](unsigned dim) { return view->combines(whole->dims[dim].front()); };
  bool isTotal = llvm::all_of(dims, isCombined);
  for (unsigned dim : dims) {
    unsigned loop = whole->dims[dim].front();
    bool isColumn = form == Form::row ? isCombined(dim)
                    : isTotal         ? dim == dims.back()
                                      : !isCombined(dim);
    if (!isColumn && !group.space.all(/*areColumns=*/true).empty()) {
      llvm::raw_string_ostream(whyNot)
          << "it combines elements along dimension "
          << llvm::find_if(whole->dims, [&](const auto &other) {
               return other.size() == 1 && view->combines(other.front());
             }) - whole->dims.begin()
          << " of " << whole->tensor.getType() << ", which is not the last one";
      return std::nullopt;
    }
    loops[loop] = {group.space.addAxis(view->extents[loop], isColumn)};
  }
  if (!group.isConsistent(*view, loops)) {
    whyNot = "it reads a tensor that is neither one row for each row, nor one number for "
             "each, nor shared by all";
    return std::nullopt;
  }
  if (form == Form::rows && group.space.all(/*areColumns=*/false).empty()) {
    whyNot = "there are no rows to add up";
    return std::nullopt;
  }
  group.join({std::move(*view), loops});
  return group;
}

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

const Member *Group::lookup(Operation *op) const {
  auto it = members.find(op);
  return it == members.end() ? nullptr : &it->second;
}

bool Group::owns(Operation *op) const {
  const Member *member = lookup(op);
  return member && !member->isShared;
}

bool Group::combines(const View &view, const Labels &loops, bool columns) const {
  for (auto [loop, axes] : llvm::enumerate(loops))
    if (view.combines(loop))
      for (unsigned axis : space.leaves(axes))
        if (space.isColumn(axis) == columns)
          return true;
  return false;
}

bool Group::isShared(const Member &member) const {
  if (member.view.isReducing())
    return false;
  bool hasRows = !space.all(/*areColumns=*/false).empty();
  return llvm::all_of(member.view.reads, [&](const Access &read) {
    if (produced.contains(read.tensor))
      return lookup(read.tensor.getDefiningOp())->isShared;
    if (isSplat(read.tensor))
      return true;
    // With one row only, what all rows share is no less than the row.
    Axes axes = space.leaves(labelsOf(read, member.loops));
    return hasRows && llvm::all_of(axes, [&](unsigned axis) { return space.isColumn(axis); });
  });
}

/// Takes out what partial results begin with.
static void eraseInits(View &view) {
  auto op = cast<linalg::LinalgOp>(view.op);
  llvm::erase_if(view.reads, [&](const Access &read) {
    return read.arg && llvm::is_contained(op.getRegionOutputArgs(), read.arg);
  });
}

void Group::join(Member member) {
  member.isShared = isShared(member);
  member.sumsRows = combines(member, /*columns=*/false);
  if (member.sumsRows)
    eraseInits(member.view);
  for (const Access &result : member.view.results)
    (member.sumsRows ? sums : produced)[result.tensor] = labelsOf(result, member.loops);
  for (const Access &read : member.view.reads) {
    if (produced.contains(read.tensor))
      continue;
    Labels labels = labelsOf(read, member.loops);
    const Labels &first = demanded.try_emplace(read.tensor, labels).first->second;
    bool agrees = llvm::all_of_zip(first, labels, [&](const Axes &a, const Axes &b) {
      return space.leaves(a) == space.leaves(b);
    });
    if (!agrees)
      disputed.insert(read.tensor);
    if (!member.isShared && !isSplat(read.tensor) && space.roleOf(labels) == Role::row)
      rowsRead.insert(read.tensor);
  }
  Operation *op = member.view.op;
  members.insert({op, std::move(member)});
}

bool Group::tryJoin(Operation *op) {
  auto [it, isNew] = views.try_emplace(op);
  auto &[view, whyNot] = it->second;
  if (isNew)
    view = View::of(op, whyNot);
  auto isOwned = [&](Value tensor) {
    return produced.contains(tensor) && owns(tensor.getDefiningOp());
  };
  if (!view) {
    if (!whyNot.empty() && llvm::any_of(op->getOperands(), isOwned))
      refused.insert({op, whyNot});
    return false;
  }
  // A producer, a consumer, or one that reads the same rows.
  if (llvm::any_of(view->reads, [&](const Access &read) { return sumsRows(read.tensor); })) {
    refused.insert({op, "it needs a sum over all rows, which is there when all are done"});
    return false;
  }
  bool isNeighbour = llvm::any_of(view->results,
                                  [&](const Access &result) {
                                    return demanded.contains(result.tensor);
                                  }) ||
                     llvm::any_of(view->reads, [&](const Access &read) {
                       return isOwned(read.tensor) || rowsRead.contains(read.tensor);
                     });
  if (!isNeighbour)
    return false;
  std::optional<Labels> loops = solve(*view);
  if (!loops) {
    refused.insert({op, "it takes rows and columns for something else than the group does, "
                        "or works on a part of them"});
    return false;
  }
  refused.erase(op);
  join({*view, *loops});
  return true;
}

void Group::grow(const Excluded &excluded) {
  for (bool hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (Operation &op : *anchor->getBlock())
      if (!members.contains(&op) && !excluded.contains(&op))
        hasGrown |= tryJoin(&op);
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

SmallVector<Operation *> Group::inOrder() const {
  SmallVector<Operation *> ops;
  for (const auto &[op, member] : members)
    ops.push_back(op);
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// Calls `visit` with each operation of `block` whose result `op`, or an operation in it,
/// uses.
static void visitProducers(Block *block, Operation *op,
                           llvm::function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == block)
        visit(producer);
  });
}

llvm::SetVector<Operation *> Group::dependents() const {
  llvm::SetVector<Operation *> result;
  SmallVector<Operation *> ops = inOrder();
  Block *block = anchor->getBlock();
  for (Operation *op = ops.front(); op != ops.back(); op = op->getNextNode()) {
    if (owns(op))
      continue;
    visitProducers(block, op, [&](Operation *producer) {
      if (owns(producer) || result.contains(producer))
        result.insert(op);
    });
  }
  return result;
}

/// Returns the member that `other`, one of `others`, needs a result of.
static Operation *findFeeder(const Group &group, Operation *other,
                             const llvm::SetVector<Operation *> &others) {
  while (other) {
    Operation *next = nullptr, *feeder = nullptr;
    visitProducers(group.anchor->getBlock(), other, [&](Operation *producer) {
      if (group.owns(producer))
        feeder = producer;
      else if (others.contains(producer))
        next = producer;
    });
    if (feeder)
      return feeder;
    other = next;
  }
  return nullptr;
}

std::optional<Obstacle> Group::findCycle() const {
  llvm::SetVector<Operation *> others = dependents();
  // The anchor stays: what the other operation needs goes instead.
  auto blame = [&](Operation *op, Operation *other, StringRef why) {
    Operation *out = op == anchor ? findFeeder(*this, other, others) : op;
    return Obstacle{out ? out : anchor, why.str()};
  };
  SmallVector<Operation *> ops = inOrder();
  for (Operation *op : llvm::reverse(ops)) {
    // The group takes the place of its last member. What has side effects keeps its own.
    for (Operation *other : others)
      if (owns(op) && other->isBeforeInBlock(op) && !isMemoryEffectFree(other))
        return blame(op, other, "an operation with side effects stands between it and "
                                "the rest of its group");
    Operation *between = nullptr;
    visitProducers(anchor->getBlock(), op, [&](Operation *producer) {
      if (others.contains(producer))
        between = producer;
    });
    if (between)
      return blame(op, between, "what it needs is computed from its group's results, but "
                                "outside of the group");
  }
  return std::nullopt;
}
