//===- Report.cpp - counters as text and JSON ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack::sim;

bool Report::isClean() const {
  return llvm::all_of(faults,
                      [](const Fault &fault) { return fault.isWarning; });
}

std::string Fault::str() const {
  const char *severity = isWarning ? "warning: " : "";
  if (line == 0)
    return severity + kind + ": " + text;
  return formatv("line {0}: {6}{1}: {2} (CTA {3}, warp {4}, lane {5})", line,
                 kind, text, cta, warp, lane, severity);
}

//===----------------------------------------------------------------------===//
// What follows from the instructions' counts
//===----------------------------------------------------------------------===//

std::vector<WidthCount> Report::sharedWidths() const {
  std::map<uint32_t, WidthCount> widths;
  for (const InstructionCount &count : instructions) {
    if (!count.wavefronts)
      continue;
    WidthCount &sum = widths[count.width];
    sum.width = count.width;
    sum.requests += count.requests;
    sum.wavefronts += count.wavefronts;
    sum.leastWavefronts += count.leastWavefronts;
  }
  std::vector<WidthCount> list;
  for (const auto &entry : widths)
    list.push_back(entry.second);
  return list;
}

/// PTX ISA, "Cache Operators", "Cache Eviction Priority Hints".
static bool isCacheModifier(StringRef part) {
  static constexpr StringLiteral operators[] = {"ca", "cg", "cs", "cv",
                                                "lu", "wb", "wt", "nc"};
  return is_contained(operators, part) || part.starts_with("L1::") ||
         part.starts_with("L2::");
}

std::map<std::string, uint64_t> Report::cacheModifiers() const {
  std::map<std::string, uint64_t> counts;
  for (const InstructionCount &count : instructions) {
    SmallVector<StringRef, 8> parts;
    StringRef(count.text).split(parts, '.');
    if (parts.front().starts_with("prefetch"))
      counts["prefetch"] += count.warps;
    if (!is_contained(ArrayRef<StringRef>({"ld", "st", "cp", "prefetch",
                                           "prefetchu", "atom", "red"}),
                      parts.front()))
      continue;
    for (StringRef part : parts)
      if (isCacheModifier(part))
        counts[part.str()] += count.warps;
  }
  for (auto entry = counts.begin(); entry != counts.end();)
    entry = entry->second ? std::next(entry) : counts.erase(entry);
  return counts;
}

/// Those that ran, the costliest first.
static std::vector<const InstructionCount *>
byCost(ArrayRef<InstructionCount> instructions) {
  std::vector<const InstructionCount *> order;
  for (const InstructionCount &count : instructions)
    if (count.warps)
      order.push_back(&count);
  stable_sort(order, [](const InstructionCount *x, const InstructionCount *y) {
    return x->cost() > y->cost();
  });
  return order;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static double ratio(uint64_t part, uint64_t whole) {
  return double(part) / double(whole);
}

static void printGlobal(raw_ostream &os, const Report &report) {
  os << "global memory: " << report.globalBytesRead << " bytes read";
  if (report.touchedBytesRead)
    os << " (" << report.touchedBytesRead << " distinct)";
  os << ", " << report.globalBytesWritten << " written";
  if (report.touchedBytesWritten)
    os << " (" << report.touchedBytesWritten << " distinct)";
  os << "\n";
  if (report.sectors)
    os << formatv("  {0} sectors in {1} lines for {2} requests; coalescing "
                  "{3:P0} ({4} sectors would do)\n",
                  report.sectors, report.lines, report.globalRequests,
                  ratio(report.leastSectors, report.sectors),
                  report.leastSectors);
}

static void printShared(raw_ostream &os, const Report &report) {
  os << "shared memory: " << report.wavefronts << " wavefronts, "
     << report.wavefronts - report.leastWavefronts
     << " of them bank conflicts\n";
  for (const WidthCount &count : report.sharedWidths())
    os << formatv("  {0} bytes a lane: {1} wavefronts for {2} requests, {3} "
                  "bank conflicts\n",
                  count.width, count.wavefronts, count.requests,
                  count.wavefronts - count.leastWavefronts);
}

static void printInstructions(raw_ostream &os, const Report &report,
                              unsigned top) {
  std::vector<const InstructionCount *> order = byCost(report.instructions);
  double all = 0;
  for (const InstructionCount *count : order)
    all += count->cost();
  if (order.size() > top)
    order.resize(top);
  if (order.empty())
    return;
  os << "   line   cost      warps    sectors      least      lines wavefronts "
        "     least  instruction\n";
  for (const InstructionCount *count : order)
    os << formatv("{0,7} {1,6:P0} {2,10} {3,10} {4,10} {5,10} {6,10} {7,10}  "
                  "{8}\n",
                  count->line, count->cost() / all, count->warps,
                  count->sectors, count->leastSectors, count->lines,
                  count->wavefronts, count->leastWavefronts, count->text);
}

std::string Report::str(unsigned topInstructions) const {
  std::string text;
  raw_string_ostream os(text);
  os << "warp instructions: " << warpInstructions
     << ", lanes: " << laneInstructions << "\n";
  printGlobal(os, *this);
  printShared(os, *this);
  os << "barriers: " << barriers << ", shuffles: " << shuffles
     << ", bytes between CTAs: " << remoteBytes << "\n";
  std::map<std::string, uint64_t> modifiers = cacheModifiers();
  if (!modifiers.empty()) {
    os << "cache modifiers:";
    for (const auto &[name, count] : modifiers)
      os << (name == modifiers.begin()->first ? " " : ", ") << name << " "
         << count;
    os << "\n";
  }
  printInstructions(os, *this, topInstructions);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object faultToJSON(const Fault &fault) {
  return json::Object{{"kind", fault.kind}, {"line", fault.line},
                      {"cta", fault.cta},   {"warp", fault.warp},
                      {"lane", fault.lane}, {"warning", fault.isWarning},
                      {"text", fault.text}};
}

static void addEfficiency(json::Object &object, uint64_t least,
                          uint64_t actual) {
  if (actual)
    object["coalescing"] = ratio(least, actual);
}

static json::Object instructionToJSON(const InstructionCount &count,
                                      bool hasTouched) {
  json::Object object{{"line", count.line},
                      {"text", count.text},
                      {"warps", count.warps},
                      {"lanes", count.lanes},
                      {"cost", count.cost()}};
  if (count.requests) {
    object["requests"] = count.requests;
    object["width"] = count.width;
  }
  if (count.sectors) {
    json::Object global{{"bytes_read", count.bytesRead},
                        {"bytes_written", count.bytesWritten},
                        {"sectors", count.sectors},
                        {"least_sectors", count.leastSectors},
                        {"lines", count.lines}};
    addEfficiency(global, count.leastSectors, count.sectors);
    if (hasTouched)
      global["touched_bytes"] = count.touchedBytes;
    object["global"] = std::move(global);
  }
  if (count.wavefronts)
    object["shared"] =
        json::Object{{"wavefronts", count.wavefronts},
                     {"least_wavefronts", count.leastWavefronts},
                     {"conflicts", count.wavefronts - count.leastWavefronts}};
  if (count.remoteBytes)
    object["remote_bytes"] = count.remoteBytes;
  return object;
}

json::Value Report::toJSON() const {
  bool hasTouched = touchedBytesRead || touchedBytesWritten;
  json::Object global{
      {"bytes_read", globalBytesRead}, {"bytes_written", globalBytesWritten},
      {"requests", globalRequests},    {"sectors", sectors},
      {"least_sectors", leastSectors}, {"lines", lines}};
  addEfficiency(global, leastSectors, sectors);
  if (hasTouched) {
    global["touched_bytes_read"] = touchedBytesRead;
    global["touched_bytes_written"] = touchedBytesWritten;
  }
  json::Array widths, list, found;
  for (const WidthCount &count : sharedWidths())
    widths.push_back(
        json::Object{{"width", count.width},
                     {"requests", count.requests},
                     {"wavefronts", count.wavefronts},
                     {"least_wavefronts", count.leastWavefronts},
                     {"conflicts", count.wavefronts - count.leastWavefronts}});
  for (const InstructionCount *count : byCost(instructions))
    list.push_back(instructionToJSON(*count, hasTouched));
  for (const Fault &fault : faults)
    found.push_back(faultToJSON(fault));
  json::Object modifiers;
  for (const auto &[name, count] : cacheModifiers())
    modifiers[name] = count;
  return json::Object{
      {"schedule", schedule},
      {"faults", std::move(found)},
      {"warp_instructions", warpInstructions},
      {"lane_instructions", laneInstructions},
      {"global", std::move(global)},
      {"shared", json::Object{{"wavefronts", wavefronts},
                              {"least_wavefronts", leastWavefronts},
                              {"conflicts", wavefronts - leastWavefronts},
                              {"by_width", std::move(widths)}}},
      {"barriers", barriers},
      {"shuffles", shuffles},
      {"remote_bytes", remoteBytes},
      {"cache_modifiers", std::move(modifiers)},
      {"instructions", std::move(list)}};
}
