//===- tools/quack-opt/DriverOptions.cpp - rows to PTX ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverOptions.h"

#include "quack/Support/Columns.h"

#include <memory>

using namespace quack;
namespace cl = llvm::cl;

cl::OptionCategory &quack::driverCategory() {
  static cl::OptionCategory category(
      "Ahead-of-time compilation, with --emit",
      "quack-opt FILE --emit=STAGE compiles row programs:");
  return category;
}

DriverOptions::DriverOptions()
    : emission(
          "emit", cl::desc("Compile, and write:"), cl::cat(driverCategory()),
          cl::values(
              clEnumValN(
                  Emission::plan, "plan",
                  "planned row programs, after a table of the best plans; "
                  "remarks on stderr say why the first was chosen"),
              clEnumValN(
                  Emission::report, "report",
                  "what each access to memory costs, registers, occupancy "
                  "and time, as predicted"),
              clEnumValN(
                  Emission::tv, "tv",
                  "tile programs: who holds which element, what waits where"),
              clEnumValN(
                  Emission::gpu, "gpu",
                  "thread programs in arith, vector, scf, llvm and nvvm"),
              clEnumValN(Emission::llvm, "llvm", "LLVM IR, optimised"),
              clEnumValN(
                  Emission::ptx, "ptx",
                  "PTX; with -o FILE.ptx also FILE.json, which says how to "
                  "launch it"),
              clEnumValN(
                  Emission::bundle, "bundle",
                  "into the folder -o: PTX, a cubin where ptxas is, JSON, and "
                  "C source that launches"))),
      columns("columns", cl::desc("N, the columns of a row, 1 to 1073741824"),
              cl::init(0), cl::cat(driverCategory())),
      storage("storage",
              cl::desc("Types in memory: bf16 for all rows, or x:bf16,y:f32"),
              cl::value_desc("types"), cl::init(""), cl::cat(driverCategory())),
      groups("groups", cl::desc("Columns of a group, of kernels that have groups"),
             cl::value_desc("count"), cl::init(0), cl::cat(driverCategory())),
      picks("picks",
            cl::desc("Elements that are picked of a row, of kernels that do"),
            cl::value_desc("count"), cl::init(0), cl::cat(driverCategory())),
      pin("pin", cl::desc("Plan fields to keep: 'threads = 256, cluster = 4'; of one kernel: "
                            "'@main_0: cluster = 8'"),
          cl::value_desc("fields"), cl::init(""), cl::cat(driverCategory())),
      target(
          "target", cl::desc("GPU to plan for: h100 or h200 (default: h200)"),
          cl::value_desc("gpu"), cl::init("h200"), cl::cat(driverCategory())),
      chip("chip",
           cl::desc("Chip to emit for: sm_90 or sm_90a (default: sm_90)"),
           cl::value_desc("chip"), cl::init("sm_90"),
           cl::cat(driverCategory())),
      plans(
          "plans",
          cl::desc("Plans that --emit=plan lists of each kernel (default: 10)"),
          cl::value_desc("count"), cl::init(10), cl::cat(driverCategory())),
      rows("rows",
           cl::desc("Of --emit=report: M (default: as many as make 8 GB of "
                    "f32, at most 32768)"),
           cl::value_desc("count"), cl::init(DescribedLaunch::usualRows),
           cl::cat(driverCategory())),
      rowStrides("row-stride",
                 cl::desc("Of --emit=report: distance of an operand's rows"),
                 cl::value_desc("name=elements"), cl::cat(driverCategory())),
      offsets("offset",
              cl::desc("Of --emit=report: how far an operand starts after an "
                       "aligned address"),
              cl::value_desc("name=elements"), cl::cat(driverCategory())),
      json("json", cl::desc("Of --emit=report: write JSON"),
           cl::cat(driverCategory())),
      name("name",
           cl::desc("Of --emit=bundle: first part of the names of files and "
                    "functions (default: softmax_4096_bf16)"),
           cl::value_desc("identifier"), cl::cat(driverCategory())),
      cubin("cubin", cl::desc("Of --emit=bundle: a cubin, too (default: true)"),
            cl::init(true), cl::cat(driverCategory())),
      ptxVersion(
          "ptx-version", cl::desc("PTX ISA version times ten (default: 83, but 86 where "
                                 "tiles overlap)"),
          cl::value_desc("version"), cl::init(0), cl::cat(driverCategory())),
      timing("time", cl::desc("Print each stage's milliseconds on stderr"),
             cl::cat(driverCategory())) {}

Stage DriverOptions::stage() const {
  switch (emission) {
  case Emission::plan:
    return Stage::plan;
  case Emission::report:
  case Emission::tv:
    return Stage::tv;
  case Emission::gpu:
    return Stage::gpu;
  case Emission::llvm:
    return Stage::llvm;
  case Emission::ptx:
  case Emission::bundle:
    return Stage::ptx;
  }
  llvm_unreachable("unknown emission");
}

void DriverOptions::fill(PipelineOptions &options) const {
  options.columns = columns.getValue();
  options.storage = storage.getValue();
  options.groups = groups.getValue();
  options.picks = picks.getValue();
  options.pin = pin.getValue();
  options.target = target.getValue();
  options.chip = chip.getValue();
  options.ptxVersion = ptxVersion.getValue();
}

llvm::StringRef DriverOptions::firstGiven() const {
  // A list's own & gives what it holds.
  const cl::Option *all[] = {&columns,
                             &storage,
                             &groups,
                             &picks,
                             &pin,
                             &target,
                             &chip,
                             &ptxVersion,
                             &plans,
                             &rows,
                             &json,
                             &name,
                             &cubin,
                             &timing,
                             std::addressof(rowStrides),
                             std::addressof(offsets)};
  for (const cl::Option *option : all)
    if (option->getNumOccurrences())
      return option->ArgStr;
  return "";
}

static llvm::StringRef stringifyEmission(Emission emission) {
  constexpr llvm::StringLiteral names[] = {"plan", "report", "tv",    "gpu",
                                           "llvm", "ptx",    "bundle"};
  return names[unsigned(emission)];
}

std::string DriverOptions::check() const {
  struct Use {
    const cl::Option *option;
    bool isUsed;
    const char *emissions;
  };
  bool isReport = emission == Emission::report;
  const char *ofReport = "report",
             *ofCompilation = "plan, tv, gpu, llvm, ptx or bundle";
  const Use uses[] = {
      {&plans, emission == Emission::plan, "plan"},
      {&rows, isReport, ofReport},
      {std::addressof(rowStrides), isReport, ofReport},
      {std::addressof(offsets), isReport, ofReport},
      {&json, isReport, ofReport},
      {&name, emission == Emission::bundle, "bundle"},
      {&cubin, emission == Emission::bundle, "bundle"},
      {&chip, !isReport, ofCompilation},
      {&ptxVersion, !isReport, ofCompilation},
      {&timing, !isReport, ofCompilation},
  };
  for (const Use &use : uses)
    if (use.option->getNumOccurrences() && !use.isUsed)
      return ("--" + use.option->ArgStr + " goes with --emit=" + use.emissions +
              ", got " + stringifyEmission(emission))
          .str();
  if (columns.getNumOccurrences())
    if (std::string wrong = violatedColumns(columns); !wrong.empty())
      return "--columns " + wrong;
  if (rows.getNumOccurrences() && rows < 0)
    return ("--rows must not be negative, got " + llvm::Twine(rows.getValue()))
        .str();
  return "";
}
