//===- tools/quack-bench/quack-bench.cpp - measures kernels -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures kernels over N and types on this machine's GPU, and shows, plots,
// merges and compares tables of such measurements.
//
//===----------------------------------------------------------------------===//

#include "CellRunner.h"
#include "Ledger.h"
#include "Machine.h"

#include "quack/InitAll.h"
#include "quack/Bench/Compare.h"
#include "quack/Bench/Plot.h"
#include "quack/Bench/Tables.h"
#include "quack/Run/Compile.h"
#include "quack/Simulator/Driver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace quack;
using namespace quack::bench;

static int fail(Error error) {
  outs().flush();
  errs() << "quack-bench: " << toString(std::move(error)) << "\n";
  return exitBad;
}

/// The greater of two exit codes says more.
static int worse(int a, int b) { return std::max(a, b); }

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Prints this project's rows of a cell, each beside the yardsticks of its
/// method.
static void printRows(ArrayRef<Row> rows) {
  auto find = [&](const Cell &cell, StringRef impl) -> const Row * {
    auto found = find_if(rows, [&](const Row &row) {
      return row.cell == cell && row.impl == impl;
    });
    return found == rows.end() ? nullptr : &*found;
  };
  for (const Row &row : rows)
    if (row.impl == "ours")
      printCell(outs(), row, find(row.cell, "copy"), find(row.cell, "read"));
  outs().flush();
}

/// Returns whether the table has all that would be measured of the cell.
static bool isDone(const Table &table, const CellJob &cell) {
  return table.has(cell.cell, "ours") &&
         (!cell.isReplayed() || table.has(cell.replayed(), "ours"));
}

/// Measures the cells one by one. Returns the exit code.
static int measureCells(const CommandLine &line, ArrayRef<CellJob> cells,
                        mlir::MLIRContext &context, Session &session,
                        Ledger &ledger) {
  const cuda::DeviceProperties &device = session.context->properties();
  std::optional<Nvml> nvml =
      session.isSimulated ? std::nullopt : Nvml::open(device.busId);
  const json::Object run = describeRun(device, nvml, session.isSimulated);
  outs() << "on " << device.name
         << (session.isSimulated
                 ? ": simulated, no time says anything of a GPU\n"
                 : "\n");
  printCellHead(outs());
  Effort effort;
  effort.samples = line.samples;
  effort.budgetSeconds = line.budgetSeconds;
  effort.warmups = session.isSimulated ? 1 : 3;
  int code = exitGood;
  for (const CellJob &cell : cells) {
    if (line.resumes && isDone(ledger.all(), cell))
      continue;
    std::vector<Row> rows = runCell(cell, context, session, effort);
    bool isLost = session.context->isDead();
    for (Row &row : rows) {
      if (!isLost)
        addClocks(nvml, row.more);
      if (!row.isGood())
        code = worse(code, exitBad);
    }
    printRows(rows);
    if (Error error = ledger.add(run, std::move(rows)))
      return fail(std::move(error));
    if (isLost) {
      errs() << "quack-bench: the GPU was lost at " << cell.cell.str()
             << "; what was measured is kept\n";
      return exitLostDevice;
    }
  }
  return code;
}

/// Returns the GPU, or the simulator in its place.
static Expected<std::unique_ptr<cuda::Context>>
createDevice(const CommandLine &line) {
  if (!line.isSimulated())
    return cuda::Context::create();
  sim::setDriverOptions({sim::Options()});
  return cuda::Context::create(/*ordinal=*/0, sim::loadDriver);
}

static int listCells(ArrayRef<CellJob> cells, mlir::MLIRContext &context) {
  int code = exitGood;
  for (const CellJob &cell : cells) {
    Expected<std::string> text = describeCell(cell, context);
    if (text)
      outs() << *text << "\n";
    else
      code = fail(createStringError(cell.cell.str() + ": " +
                                    toString(text.takeError())));
  }
  return code;
}

//===----------------------------------------------------------------------===//
// What becomes of a table
//===----------------------------------------------------------------------===//

static int plotTable(const Table &table, StringRef folder) {
  Expected<std::vector<Figure>> figures = drawFigures(table);
  if (!figures)
    return fail(figures.takeError());
  if (Error error = writeFigures(*figures, folder))
    return fail(std::move(error));
  return exitGood;
}

static int compareTable(const Table &table, StringRef oldFile) {
  Expected<Table> before = Table::read(oldFile);
  if (!before)
    return fail(before.takeError());
  Expected<std::vector<Change>> changes = compare(*before, table);
  if (!changes)
    return fail(changes.takeError());
  std::vector<std::string> gpus = before->gpus();
  if (gpus != table.gpus())
    errs() << "quack-bench: the tables are of different GPUs\n";
  printChanges(outs(), *changes);
  return any_of(*changes, [](const Change &change) { return change.isWorse(); })
             ? exitBad
             : exitGood;
}

/// Plots all that there is, and compares what was measured.
static int finish(const CommandLine &line, const Ledger &ledger) {
  int code = exitGood;
  if (!line.plotFolder.empty())
    code = worse(code, plotTable(ledger.all(), line.plotFolder));
  if (!line.compareFile.empty())
    code =
        worse(code, compareTable(line.resumes ? ledger.all() : ledger.added(),
                                 line.compareFile));
  return code;
}

static int showTables(const CommandLine &line) {
  Table table;
  for (const std::string &file : line.tables) {
    Expected<Table> part = Table::read(file);
    if (!part)
      return fail(part.takeError());
    table.merge(*part);
  }
  Expected<Ledger> ledger = Ledger::open(line.jsonFile);
  if (!ledger)
    return fail(ledger.takeError());
  if (Error error = ledger->merge(table))
    return fail(std::move(error));
  printTables(outs(), ledger->all());
  return finish(line, *ledger);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static int measure(const CommandLine &line) {
  Expected<std::vector<CellJob>> cells = makeCells(line);
  if (!cells)
    return fail(cells.takeError());
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  if (line.dryRun)
    return listCells(*cells, *context);
  if (!line.compareFile.empty())
    if (Error error = Table::read(line.compareFile).takeError())
      return fail(std::move(error));
  Expected<Ledger> ledger = Ledger::open(line.jsonFile);
  if (!ledger)
    return fail(ledger.takeError());
  Session session;
  session.isSimulated = line.isSimulated();
  Expected<std::unique_ptr<cuda::Context>> gpu = createDevice(line);
  if (!gpu) {
    Error error = gpu.takeError();
    bool isMissing = error.isA<cuda::NoDeviceError>();
    errs() << "quack-bench: " << toString(std::move(error))
           << (isMissing
                   ? "; --dry-run lists the cells, and --from shows tables"
                   : "")
           << "\n";
    return isMissing ? exitNoDevice : exitBad;
  }
  session.context = std::move(*gpu);
  session.context->setWatchdog(line.watchdogSeconds);
  int code = measureCells(line, *cells, *context, session, *ledger);
  code = worse(code, finish(line, *ledger));
  // Freeing what a lost GPU holds may block for ever.
  if (code == exitLostDevice) {
    outs().flush();
    *ledger = Ledger(); // others may go on with the table
    std::_Exit(code);
  }
  return code;
}

extern "C" int quackBenchMain(int argc, char **argv) {
  Expected<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return fail(line.takeError());
  return line->tables.empty() ? measure(*line) : showTables(*line);
}
