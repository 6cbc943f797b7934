//===- Checker.cpp - is it right? ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding is monotonic: what lies between two numbers rounds to something
// between their roundings. So the interval of right values is the bound's,
// rounded at both ends.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Checker.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <vector>

using namespace quack;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns what a store of `value` to an integer type leaves of it.
static double truncateInteger(StorageType type, double value) {
  if (type == StorageType::i64 || !(std::fabs(value) < 0x1p63))
    return value;
  auto bits = static_cast<int64_t>(value);
  if (type == StorageType::i8)
    return static_cast<double>(static_cast<int8_t>(bits));
  return static_cast<double>(static_cast<int32_t>(bits));
}

/// Returns the distance of `got` from `expected` over what is allowed: at most
/// 1 if it is right.
static double usedShare(StorageType type, double got, double expected,
                        double bound) {
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got) ? 0.0 : infinity;
  double low = expected - bound, high = expected + bound;
  if (isFloat(type)) {
    FloatTraits traits = getTraits(getFloatFormat(type));
    low = roundTo(traits, low);
    high = roundTo(traits, high);
    // What saturates is expected where it ends.
    expected = std::clamp(expected, -traits.overflow, traits.overflow);
  } else if (bound == 0) {
    low = high = expected = truncateInteger(type, expected);
  }
  if (got >= low && got <= high) {
    if (got == expected)
      return 0.0;
    double allowed = got > expected ? high - expected : expected - low;
    return std::isfinite(allowed) && allowed > 0
               ? std::min(std::fabs(got - expected) / allowed, 1.0)
               : 1.0;
  }
  double allowed = got > high ? high - expected : expected - low;
  double distance = std::fabs(got - expected);
  if (!std::isfinite(distance) || !(allowed > 0))
    return infinity;
  // Just outside may divide to exactly 1.
  return std::max(distance / allowed, std::nextafter(1.0, 2.0));
}

CheckReport quack::checkOutput(const CheckInput &input) {
  CheckReport report;
  report.elements = input.rows * input.columns;
  std::vector<double> got(input.columns);
  const char *bytes = static_cast<const char *>(input.stored);
  int64_t rowBytes = input.columns * getSizeInBytes(input.type);
  for (int64_t row = 0; row < input.rows; ++row) {
    widen(input.type, bytes + row * rowBytes, got.data(), input.columns);
    const double *expected = input.expected + row * input.columns;
    const double *bounds = input.bounds + row * input.columns;
    for (int64_t column = 0; column < input.columns; ++column) {
      double bound = bounds[column];
      if (bound == infinity) {
        ++report.unchecked;
        continue;
      }
      double used = usedShare(input.type, got[column], expected[column], bound);
      report.violations += used > 1;
      if (used <= report.used && report.row >= 0)
        continue;
      report.row = input.rowNumbers ? input.rowNumbers[row] : row;
      report.column = column;
      report.got = got[column];
      report.expected = expected[column];
      report.bound = bound;
      report.used = used;
    }
  }
  return report;
}

void CheckReport::merge(const CheckReport &other) {
  CheckReport worse =
      other.row >= 0 && (row < 0 || other.used > used) ? other : *this;
  worse.elements = elements + other.elements;
  worse.violations = violations + other.violations;
  worse.unchecked = unchecked + other.unchecked;
  *this = worse;
}

/// Returns `value` as text; a NaN has no sign.
static std::string numberText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return std::isnan(value) ? "nan" : text;
}

std::string CheckReport::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (violations == 0)
    os << "ok, " << elements << " elements";
  else
    os << violations << " of " << elements << " elements are wrong";
  if (unchecked != 0)
    os << ", " << unchecked << " not checked (f32 may overflow there)";
  if (row < 0)
    return result;
  os << "; worst at row " << row << ", column " << column << ": got "
     << numberText(got) << ", expected " << numberText(expected)
     << " with bound " << llvm::format("%.3g", bound);
  if (std::isfinite(used))
    os << llvm::format(" (%.2f of what is allowed)", used);
  return result;
}
