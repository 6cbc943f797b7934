//===- TVLayout.cpp - Thread-value layouts ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of thread-value layouts. Legality is decided on the modes sorted
// by stride (the chain of TVLayout.h); everything else then reads digits off a
// linear index by one division for each mode. Invariant: `check` survives any
// int64_t in a mode or a shape, since a verifier calls it on what a user wrote.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/TVLayout.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <limits>

using namespace quack;

namespace {
/// A mode and the level it belongs to.
struct PlacedMode {
  Mode mode;
  Level level;
  /// The level's index that is one step of this mode: the product of the sizes
  /// of the faster modes.
  int64_t weight;
};
} // namespace

using PlacedModes = llvm::SmallVector<PlacedMode, 16>;

/// The order in which levels are written and rules are reported.
static constexpr Level textOrder[] = {Level::Slice, Level::Cta, Level::Warp,
                                      Level::Lane, Level::Value};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

llvm::StringRef quack::stringifyLevel(Level level) {
  switch (level) {
  case Level::Value:
    return "value";
  case Level::Lane:
    return "lane";
  case Level::Warp:
    return "warp";
  case Level::Cta:
    return "cta";
  case Level::Slice:
    return "slice";
  }
  return "";
}

llvm::raw_ostream &quack::operator<<(llvm::raw_ostream &os, Mode mode) {
  return os << mode.size << ":" << mode.stride;
}

llvm::raw_ostream &quack::operator<<(llvm::raw_ostream &os, TileShape tile) {
  return os << tile.rows << "x" << tile.columns;
}

static llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const PlacedMode &placed) {
  return os << stringifyLevel(placed.level) << " mode " << placed.mode;
}

std::string TVLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator levelSeparator;
  for (Level level : textOrder) {
    if (modes(level).empty())
      continue;
    os << levelSeparator << stringifyLevel(level) << " = [";
    llvm::interleaveComma(modes(level), os);
    os << "]";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// Returns a * b for a, b >= 0, or the largest int64_t where that overflows.
static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

/// Returns the modes of all levels, in the order of the text.
static PlacedModes placeModes(const TVLayout &layout) {
  PlacedModes placed;
  for (Level level : textOrder) {
    int64_t weight = 1;
    for (Mode mode : layout.modes(level)) {
      placed.push_back({mode, level, weight});
      weight = saturatingProduct(weight, mode.size);
    }
  }
  return placed;
}

/// Returns the modes that step over elements, by ascending stride. Modes of
/// size 1 have no digit to speak of and are left out.
static PlacedModes sortedSteps(const TVLayout &layout) {
  PlacedModes steps = placeModes(layout);
  llvm::erase_if(steps, [](const PlacedMode &step) {
    return step.mode.isCopy() || step.mode.size == 1;
  });
  llvm::stable_sort(steps, [](const PlacedMode &a, const PlacedMode &b) {
    return a.mode.stride < b.mode.stride;
  });
  return steps;
}

TVLayout::TVLayout(Modes cta, Modes warp, Modes lane, Modes value, Modes slice)
    : levels{std::move(value), std::move(lane), std::move(warp), std::move(cta),
             std::move(slice)} {}

int64_t TVLayout::size(Level level) const {
  int64_t size = 1;
  for (Mode mode : modes(level))
    size = saturatingProduct(size, mode.size);
  return size;
}

bool TVLayout::isRowMode(Mode mode, TileShape tile) const {
  return !mode.isCopy() && mode.stride % tile.columns == 0;
}

bool TVLayout::isColumnMode(Mode mode, TileShape tile) const {
  // The bound on the size is size * stride <= columns, free of overflow.
  return !mode.isCopy() && !isRowMode(mode, tile) &&
         mode.size <= tile.columns / mode.stride;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static LayoutError makeError(llvm::StringRef rule,
                             llvm::function_ref<void(llvm::raw_ostream &)> fn) {
  LayoutError error{rule, ""};
  llvm::raw_string_ostream os(error.message);
  fn(os);
  return error;
}

static bool isTileLegal(TileShape tile) {
  int64_t elements;
  return tile.rows >= 1 && tile.columns >= 1 &&
         !llvm::MulOverflow(tile.rows, tile.columns, elements);
}

// L1
static std::optional<LayoutError> checkRanges(const PlacedModes &placed) {
  for (const PlacedMode &p : placed) {
    if (p.mode.size < 1)
      return makeError(
          "L1", [&](auto &os) { os << "sizes must be at least 1, got " << p; });
    if (p.mode.stride < 0)
      return makeError("L1", [&](auto &os) {
        os << "strides must be at least 0, got " << p;
      });
  }
  return std::nullopt;
}

// L2
static std::optional<LayoutError>
checkAxes(const TVLayout &layout, const PlacedModes &placed, TileShape tile) {
  for (const PlacedMode &p : placed) {
    if (p.mode.isCopy() || layout.isRowMode(p.mode, tile) ||
        layout.isColumnMode(p.mode, tile))
      continue;
    return makeError("L2", [&](auto &os) {
      os << "each mode must step along one axis (size * stride at most "
         << tile.columns << ", or stride a multiple of " << tile.columns
         << "), got " << p << " with " << p.mode.size << " * " << p.mode.stride
         << " = " << saturatingProduct(p.mode.size, p.mode.stride);
    });
  }
  return std::nullopt;
}

// L3
static std::optional<LayoutError> checkLanes(const TVLayout &layout) {
  const Modes &lane = layout.modes(Level::Lane);
  auto isPowerOfTwo = [](Mode mode) {
    return llvm::isPowerOf2_64(static_cast<uint64_t>(mode.size));
  };
  if (layout.size(Level::Lane) == warpSize && llvm::all_of(lane, isPowerOfTwo))
    return std::nullopt;
  return makeError("L3", [&](auto &os) {
    os << "lane sizes must be powers of two with product " << warpSize
       << ", got ";
    llvm::interleave(
        lane, os, [&](Mode mode) { os << mode.size; }, " * ");
    if (lane.size() > 1)
      os << " = ";
    if (lane.size() != 1)
      os << layout.size(Level::Lane);
  });
}

// L5
static std::optional<LayoutError> checkValues(const PlacedModes &placed) {
  for (const PlacedMode &p : placed)
    if (p.level == Level::Value && p.mode.isCopy())
      return makeError("L5", [&](auto &os) {
        os << "value modes must not be copies, got " << p;
      });
  return std::nullopt;
}

// L7
static std::optional<LayoutError>
checkSlices(const TVLayout &layout, const PlacedModes &placed, TileShape tile) {
  auto isColumnStep = [&](const PlacedMode &p) {
    return p.mode.size > 1 && layout.isColumnMode(p.mode, tile);
  };
  for (const PlacedMode &slice : placed)
    for (const PlacedMode &other : placed)
      if (slice.level == Level::Slice && other.level != Level::Slice &&
          isColumnStep(slice) && isColumnStep(other) &&
          other.mode.stride >= slice.mode.stride)
        return makeError("L7", [&](auto &os) {
          os << "slice modes must step farther along the columns than all "
                "others, got "
             << slice << " and " << other;
        });
  return std::nullopt;
}

// L4
static std::optional<LayoutError> checkChain(const TVLayout &layout,
                                             TileShape tile) {
  auto mismatch = [&](const char *what, int64_t linear) {
    return makeError("L4", [&](auto &os) {
      os << "without copies the map must be one-to-one onto the " << tile
         << " tile, got " << what << " of element (" << linear / tile.columns
         << ", " << linear % tile.columns << ")";
    });
  };
  // Invariant: the steps so far own the elements below `covered`, each once.
  int64_t covered = 1;
  for (const PlacedMode &step : sortedSteps(layout)) {
    const auto [size, stride] = step.mode;
    if (stride > covered)
      return mismatch("no owner", covered);
    if (size > tile.elements() / stride)
      return makeError("L4", [&](auto &os) {
        os << "row modes must stay below row " << tile.rows << ", got " << step
           << " reaching row "
           << saturatingProduct(size - 1, stride / tile.columns);
      });
    if (stride < covered)
      return mismatch("two owners", stride);
    covered = size * stride;
  }
  if (covered < tile.elements())
    return mismatch("no owner", covered);
  return std::nullopt;
}

std::optional<LayoutError> TVLayout::check(TileShape tile) const {
  if (!isTileLegal(tile))
    return makeError("L4", [&](auto &os) {
      os << "a tile must have at least 1 row, 1 column and less than 2^63 "
            "elements, got "
         << tile;
    });
  const PlacedModes placed = placeModes(*this);
  if (auto error = checkRanges(placed))
    return error;
  if (auto error = checkAxes(*this, placed, tile))
    return error;
  if (auto error = checkLanes(*this))
    return error;
  if (auto error = checkValues(placed))
    return error;
  if (auto error = checkSlices(*this, placed, tile))
    return error;
  return checkChain(*this, tile);
}

/// Returns the elements of `tile` that have an owner, by walking them.
static llvm::BitVector ownedElements(const PlacedModes &steps, TileShape tile) {
  assert(llvm::isUInt<32>(tile.elements()) && "the tile is too large to walk");
  llvm::BitVector owned(tile.elements());
  owned.set(0);
  for (const PlacedMode &step : steps) {
    const auto [size, stride] = step.mode;
    // A snapshot: an element that this step reaches is not a start for it.
    const llvm::BitVector starts = owned;
    for (int64_t start : starts.set_bits()) {
      int64_t digits =
          std::min(size, (tile.elements() - 1 - start) / stride + 1);
      for (int64_t digit = 0; digit < digits; ++digit)
        owned.set(start + digit * stride);
    }
  }
  return owned;
}

/// Returns the number of owners, copies left out.
static int64_t countOwners(const PlacedModes &steps) {
  int64_t owners = 1;
  for (const PlacedMode &step : steps)
    owners = saturatingProduct(owners, step.mode.size);
  return owners;
}

bool TVLayout::isOneToOne(TileShape tile) const {
  if (!isTileLegal(tile) || checkRanges(placeModes(*this)))
    return false;
  if (!checkChain(*this, tile))
    return true;
  const PlacedModes steps = sortedSteps(*this);
  int64_t last = 0;
  for (const PlacedMode &step : steps) {
    int64_t reach = saturatingProduct(step.mode.size - 1, step.mode.stride);
    if (reach > tile.elements() - 1 - last)
      return false;
    last += reach;
  }
  // More owners than elements cannot be one-to-one: no need to walk.
  const int64_t owners = countOwners(steps);
  return owners <= tile.elements() &&
         static_cast<int64_t>(ownedElements(steps, tile).count()) == owners;
}

bool TVLayout::covers(TileShape tile) const {
  if (!isTileLegal(tile) || checkRanges(placeModes(*this)))
    return false;
  if (!checkChain(*this, tile))
    return true;
  const PlacedModes steps = sortedSteps(*this);
  return countOwners(steps) >= tile.elements() &&
         ownedElements(steps, tile).all();
}

//===----------------------------------------------------------------------===//
// The map and its inverse
//===----------------------------------------------------------------------===//

/// Returns what `index` adds to the linear index through `modes`.
static int64_t evaluateModes(const Modes &modes, int64_t index) {
  int64_t offset = 0;
  for (Mode mode : modes) {
    offset += index % mode.size * mode.stride;
    index /= mode.size;
  }
  assert(index == 0 && "an index must be less than the size of its level");
  return offset;
}

int64_t TVLayout::evaluate(int64_t cta, int64_t warp, int64_t lane,
                           int64_t value, int64_t slice) const {
  return evaluateModes(modes(Level::Slice), slice) +
         evaluateModes(modes(Level::Cta), cta) +
         evaluateModes(modes(Level::Warp), warp) +
         evaluateModes(modes(Level::Lane), lane) +
         evaluateModes(modes(Level::Value), value);
}

/// Returns the index of `level` in `owner`.
static int64_t &indexOf(Owner &owner, Level level) {
  switch (level) {
  case Level::Value:
    return owner.value;
  case Level::Lane:
    return owner.lane;
  case Level::Warp:
    return owner.warp;
  case Level::Cta:
    return owner.cta;
  case Level::Slice:
    break;
  }
  return owner.slice;
}

llvm::SmallVector<Owner> TVLayout::inverse(int64_t linear,
                                           TileShape tile) const {
  assert(!check(tile) && "the layout must be legal");
  assert(linear >= 0 && linear < tile.elements() && "not in the tile");
  Owner canonical = {0, 0, 0, 0, 0};
  llvm::SmallVector<PlacedMode> copies;
  for (const PlacedMode &p : placeModes(*this)) {
    if (p.mode.isCopy())
      copies.push_back(p);
    else
      indexOf(canonical, p.level) +=
          linear / p.mode.stride % p.mode.size * p.weight;
  }
  llvm::SmallVector<Owner> owners = {canonical};
  for (const PlacedMode &copy : copies) {
    const size_t numOwners = owners.size();
    for (int64_t digit = 1; digit < copy.mode.size; ++digit)
      for (size_t i = 0; i < numOwners; ++i) {
        Owner owner = owners[i];
        indexOf(owner, copy.level) += digit * copy.weight;
        owners.push_back(owner);
      }
  }
  return owners;
}

int64_t TVLayout::contiguousRun(TileShape tile) const {
  assert(!check(tile) && "the layout must be legal");
  int64_t run = 1;
  for (Mode mode : modes(Level::Value)) {
    if (mode.size == 1)
      continue;
    if (mode.stride != run || !isColumnMode(mode, tile))
      break;
    run *= mode.size;
  }
  return run;
}

Coord TVLayout::valueCoord(int64_t value, TileShape tile) const {
  // A legal map adds digits without a carry from the columns into the rows.
  int64_t linear = evaluateModes(modes(Level::Value), value);
  return {linear / tile.columns, linear % tile.columns};
}

int64_t TVLayout::sliceColumns(TileShape tile) const {
  int64_t columns = tile.columns;
  for (Mode mode : modes(Level::Slice))
    if (isColumnMode(mode, tile))
      columns /= mode.size;
  return columns;
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

TVLayout TVLayout::reduceLevel(Level level, TileShape tile,
                               TileShape &result) const {
  assert(!check(tile) && "the layout must be legal");
  // The stride of a column mode that is left is the product of the sizes of
  // the modes below it that are left.
  llvm::SmallVector<Mode> kept;
  for (const PlacedMode &step : sortedSteps(*this))
    if (step.level != level && isColumnMode(step.mode, tile))
      kept.push_back(step.mode);
  auto denseStride = [&](int64_t stride) {
    int64_t dense = 1;
    for (Mode mode : kept)
      if (mode.stride < stride)
        dense *= mode.size;
    return dense;
  };
  result = {tile.rows, denseStride(tile.columns)};

  TVLayout reduced = *this;
  for (Level other : allLevels) {
    Modes &modes = reduced.levels[static_cast<size_t>(other)];
    if (other == level && level == Level::Value)
      llvm::erase_if(modes, [&](Mode m) { return isColumnMode(m, tile); });
    for (Mode &mode : modes) {
      if (isRowMode(mode, tile))
        mode.stride = mode.stride / tile.columns * result.columns;
      else if (isColumnMode(mode, tile))
        mode.stride = other == level ? 0 : denseStride(mode.stride);
    }
  }
  return reduced;
}

TVLayout TVLayout::projectColumns(TileShape tile) const {
  TVLayout projected = *this;
  for (Level level : allLevels)
    projected = projected.reduceLevel(level, tile, tile);
  return projected;
}
