//===- lib/Raise/Group.h - operations that share their rows -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grows from one reduction over rows to all that works on the same rows.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_GROUP_H
#define QUACK_LIB_RAISE_GROUP_H

#include "RowSpace.h"
#include "View.h"

#include "llvm/ADT/MapVector.h"

namespace quack::raise {

/// Why an operation cannot be part of a group.
struct Obstacle {
  mlir::Operation *op;
  std::string why;
};

/// Operations that must stay out of a group, and why.
using Excluded = llvm::MapVector<mlir::Operation *, std::string>;

/// What the first reduction of a group combines.
enum class Form {
  row,  ///< the elements of each row: the last dimensions
  rows, ///< the rows of each column, or everything: the first dimensions, or all
};

/// An operation of a group.
struct Member {
  View view;
  Labels loops; ///< what each loop runs over
  /// Adds up all rows: its result is there when the kernel is done, so that no other
  /// member can have it. What it begins with is added outside.
  bool sumsRows = false;
  /// Made of constants, or of what all rows share: where others use its result, too, it
  /// is computed both in the kernel and outside.
  bool isShared = false;
};

class Group {
public:
  /// Starts a group with the reduction `anchor`. None, and `whyNot`, if it combines
  /// something else than `form` says.
  static std::optional<Group> seed(mlir::Operation *anchor, Form form, std::string &whyNot);

  /// Adds all operations of the anchor's block that can join, but for `excluded`.
  void grow(const Excluded &excluded);

  /// Returns the member to take out since what it needs must be computed by others after
  /// members, and before it.
  std::optional<Obstacle> findCycle() const;

  /// Returns the members in the order of the block.
  llvm::SmallVector<mlir::Operation *> inOrder() const;
  const Member *lookup(mlir::Operation *op) const;
  /// Returns whether `op` is computed in the kernel and nowhere else.
  bool owns(mlir::Operation *op) const;
  /// Returns whether `member` combines elements along the rows, or the columns.
  bool combines(const Member &member, bool columns) const {
    return combines(member.view, member.loops, columns);
  }
  /// Returns what `access`, of a member with such loops, says of the tensor's dimensions.
  Labels labelsOf(const Access &access, const Labels &loops) const;
  /// Returns what the dimensions of a member's result run over.
  const Labels &labelsOf(mlir::Value result) const {
    return (sumsRows(result) ? sums : produced).find(result)->second;
  }
  /// Returns whether members can have `tensor` from another one.
  bool produces(mlir::Value tensor) const { return produced.contains(tensor); }
  /// Returns whether a member makes `tensor` of all rows.
  bool sumsRows(mlir::Value tensor) const { return sums.contains(tensor); }

  /// Returns the operations of the block that need a member's result, but are none, and
  /// stand before the last member.
  llvm::SetVector<mlir::Operation *> dependents() const;

  mlir::Operation *anchor = nullptr;
  RowSpace space;
  /// Neighbours of members whose own loops or maps keep them out.
  Excluded refused;

private:
  /// Joins `op` if it is a neighbour, or says in `refused` why it cannot.
  bool tryJoin(mlir::Operation *op);
  void join(Member member);
  /// Finds what the loops of `view` run over.
  std::optional<Labels> solve(const View &view);
  bool isConsistent(const View &view, const Labels &loops) const;
  bool isShared(const Member &member) const;
  bool combines(const View &view, const Labels &loops, bool columns) const;

  llvm::MapVector<mlir::Operation *, Member> members;
  /// The results of members, and what their dimensions run over; those of members that
  /// add up rows are apart.
  llvm::DenseMap<mlir::Value, Labels> produced, sums;
  /// The same of other tensors that members read: the first one to do so decides.
  llvm::DenseMap<mlir::Value, Labels> demanded;
  /// Those that another read takes for something else: each can be loaded in several
  /// roles, but computed in one only.
  llvm::DenseSet<mlir::Value> disputed;
  /// Those of them that are rows, and read by a member that is not shared.
  llvm::DenseSet<mlir::Value> rowsRead;
  /// Views of operations, or why there is none.
  llvm::DenseMap<mlir::Operation *, std::pair<std::optional<View>, std::string>> views;
};

/// Returns the operation of `block` that `op` is, or stands in; null if there is none.
mlir::Operation *ancestorIn(mlir::Block *block, mlir::Operation *op);

/// Returns whether `tensor` is a constant whose elements are all equal.
bool isSplat(mlir::Value tensor, mlir::Attribute *element = nullptr);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_GROUP_H
