//===- Trace.cpp - what chosen lanes execute -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "FloatBits.h"
#include "Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// 0-3,7
static bool parseLanes(StringRef text, uint32_t &lanes) {
  SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [from, to] = part.split('-');
    unsigned first, last;
    if (!to_integer(from, first) ||
        !to_integer(part.contains('-') ? to : from, last) || last < first ||
        last >= warpLanes)
      return false;
    for (unsigned lane = first; lane <= last; ++lane)
      lanes |= 1u << lane;
  }
  return true;
}

Expected<TraceChoice> quack::sim::parseTrace(StringRef text) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, ':');
  TraceChoice choice;
  bool isGood = (parts.size() == 2 || parts.size() == 3) &&
                to_integer(parts[0], choice.cta) &&
                to_integer(parts[1], choice.warp);
  if (isGood && parts.size() == 3) {
    choice.lanes = 0;
    isGood = parseLanes(parts[2], choice.lanes);
  }
  if (!isGood)
    return createStringError("expected CTA:WARP or CTA:WARP:LANES such as "
                             "0:1:0-3,8, got '" +
                             text + "'");
  return choice;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// Returns `line` with one blank where there are several, or tabs.
static std::string spaced(StringRef line) {
  SmallVector<StringRef, 8> words;
  SplitString(line, words, " \t");
  return join(words, " ");
}

Trace::Trace(const Program &program, StringRef source, const Options &options)
    : traced(program), choices(options.trace), os(*options.traceTo),
      left(options.traceLimit) {
  SmallVector<StringRef, 0> lines;
  source.split(lines, '\n');
  for (Op &op : traced.ops) {
    // A line of several instructions says too much of each.
    StringRef line = op.line && op.line <= lines.size()
                         ? lines[op.line - 1].trim()
                         : StringRef();
    texts.push_back(line.count(';') == 1 ? spaced(line)
                                         : program.texts[op.index]);
    handlers.push_back(op.run);
    op.run = run;
  }
}

void Trace::run(Warp &warp, const Op &op, uint32_t lanes) {
  const Trace &trace = *warp.cluster->launch.trace;
  bool isRetry = warp.fragment().wait != Wait::none;
  trace.handlers[op.index](warp, op, lanes);
  if (trace.left == 0)
    return;
  for (const TraceChoice &choice : trace.choices) {
    if (choice.cta != warp.cta->number || choice.warp != warp.number)
      continue;
    // runFragment marks a retry; a handler that waits again takes it back.
    bool waits = op.flow == Flow::wait && warp.fragment().wait != Wait::none &&
                 warp.fragment().wait != Wait::poll &&
                 warp.fragment().seen != UINT64_MAX;
    if (!(waits && isRetry))
      trace.print(warp, op, lanes, choice.lanes, waits);
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

template <typename T> static T laneOf(Warp &warp, Slot slot, unsigned lane) {
  return warp.reg<T>(slot)[lane];
}

static void printFloat(raw_ostream &os, double value, uint64_t bits) {
  os << format("%.9g", value) << " (0x" << utohexstr(bits, true) << ")";
}

/// A value, a float's with its bits; small integers in decimal only.
static void printValue(raw_ostream &os, Warp &warp, Slot slot, Type type,
                       unsigned lane) {
  switch (type) {
  case Type::pred:
    os << (warp.mask(slot) >> lane & 1 ? "true" : "false");
    return;
  case Type::f32: {
    uint32_t bits = laneOf<uint32_t>(warp, slot, lane);
    return printFloat(os, double(laneOf<float>(warp, slot, lane)), bits);
  }
  case Type::f64: {
    uint64_t bits = laneOf<uint64_t>(warp, slot, lane);
    return printFloat(os, laneOf<double>(warp, slot, lane), bits);
  }
  case Type::f16: {
    uint16_t bits = laneOf<uint16_t>(warp, slot, lane);
    return printFloat(os, double(asFloat(halfToBits(bits))), bits);
  }
  case Type::bf16: {
    uint16_t bits = laneOf<uint16_t>(warp, slot, lane);
    return printFloat(os, double(asFloat(bf16ToBits(bits))), bits);
  }
  case Type::b128: // as {low, high}
    os << "{0x" << utohexstr(laneOf<uint64_t>(warp, slot, 2 * lane), true)
       << ", 0x" << utohexstr(laneOf<uint64_t>(warp, slot, 2 * lane + 1), true)
       << "}";
    return;
  default:
    break;
  }
  uint64_t bits = 0;
  unsigned bytes = std::min(std::max(2u, sizeOf(type)), 8u);
  std::memcpy(&bits, warp.reg<uint8_t>(slot) + lane * bytes, bytes);
  int64_t number = int64_t(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
  if (isSigned(type) && number == int32_t(number))
    os << number;
  else if (bits < 65536)
    os << bits;
  else
    os << "0x" << utohexstr(bits, true);
}

void Trace::print(Warp &warp, const Op &op, uint32_t lanes, uint32_t chosen,
                  bool waits) const {
  os << "CTA " << warp.cta->number << " warp " << warp.number << " line "
     << op.line << ": " << texts[op.index] << " lanes "
     << format_hex(lanes, 10);
  if (waits)
    os << "  waits";
  // Handlers leave it to their caller to spread definedness.
  uint32_t defined = allLanes;
  if (op.definedness == Definedness::spreads)
    defined = warp.defined[op.a] & warp.defined[op.b] & warp.defined[op.c];
  auto [begin, end] = std::equal_range(
      traced.destinations.begin(), traced.destinations.end(),
      Destination{op.index, 0, Type::b32, ""},
      [](const Destination &x, const Destination &y) { return x.op < y.op; });
  for (const Destination &to : make_range(begin, end)) {
    if (waits || !(lanes & chosen))
      break;
    os << "  " << to.name << " =";
    uint32_t is = op.definedness == Definedness::spreads
                      ? defined
                      : warp.defined[to.slot];
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      if (!((lanes & chosen) >> lane & 1))
        continue;
      os << " ";
      if (chosen & (chosen - 1))
        os << "[" << lane << "] ";
      if (is >> lane & 1 || !warp.cluster->checksUndefined)
        printValue(os, warp, to.slot, to.type, lane);
      else
        os << "undefined";
    }
  }
  os << "\n";
  if (--left == 0)
    os << "the trace's limit is reached\n";
}
