//===- tools/quack-bench/Cells.cpp - which cells there are ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours in the list cost about the same, so that shards do, too.
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

#include "quack/Kernels/Library.h"
#include "quack/Runtime/Storage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace quack;
using namespace quack::bench;

/// Beyond this a launch in the simulator takes minutes.
static constexpr int64_t mostSimulated = 1 << 22;

Cell CellJob::replayed() const {
  Cell replayed = cell;
  replayed.method = "replay";
  return replayed;
}

int64_t quack::bench::chooseRows(const CommandLine &line, int64_t columns,
                          int64_t elementBytes) {
  if (line.rows)
    return *line.rows;
  if (line.bytes)
    return std::max<int64_t>(*line.bytes / (columns * elementBytes), 1);
  constexpr int64_t usual = 32768, longRow = 16384;
  return columns <= longRow ? usual
                            : std::max<int64_t>(usual * longRow / columns, 1);
}

/// What readers of programs take in place of a file, for kernels of the library.
static constexpr StringLiteral libraryPrefix = "library:";

/// Returns the name of a kernel by what its program is read from.
static StringRef nameOf(StringRef file) {
  if (file.consume_front(libraryPrefix))
    return file;
  return sys::path::stem(file);
}

/// Returns what the program of a kernel that the command line names is read from.
static Expected<std::string> findKernel(const CommandLine &line,
                                        StringRef kernel) {
  if (kernel.ends_with(".mlir") || kernel.contains('/')) {
    if (sys::fs::is_regular_file(kernel))
      return kernel.str();
    return createStringError("there is no kernel '" + kernel + "': no such file");
  }
  if (line.kernelsFolder.empty()) {
    if (Error error = findLibraryKernel(kernel).takeError())
      return error;
    return (libraryPrefix + kernel).str();
  }
  SmallString<128> path(line.kernelsFolder);
  sys::path::append(path, kernel + ".mlir");
  if (sys::fs::is_regular_file(path))
    return path.str().str();
  return createStringError("there is no kernel '" + kernel + "': no file '" + path +
                           "' in --kernels-dir");
}

/// Returns the storage of a kernel whose rows are of `dtype`: the optional
/// operands that are there have that type, too, unless they say another.
static std::string storageOf(const CommandLine &line, StringRef op,
                             StringRef dtype) {
  StringRef usual = StringSwitch<StringRef>(op)
                        .Cases({"rms_norm", "layer_norm"}, "weight")
                        .Default("");
  std::string operands = line.operands.value_or(usual.str());
  std::string storage = dtype.str();
  for (StringRef operand : split(operands, ','))
    if (!operand.empty())
      storage +=
          ("," + operand + (operand.contains(':') ? "" : ":" + dtype)).str();
  return storage;
}

Expected<std::vector<CellJob>> quack::bench::makeCells(const CommandLine &line) {
  std::vector<std::string> files;
  for (StringRef kernel : line.kernels) {
    Expected<std::string> file = findKernel(line, kernel);
    if (!file)
      return file.takeError();
    files.push_back(*file);
  }
  std::vector<CellJob> cells;
  int64_t number = 0;
  for (const std::string &dtype : line.dtypes)
    for (int64_t columns : line.columns)
      for (const std::string &file : files) {
        if (number++ % line.shard.count != line.shard.number - 1)
          continue;
        CellJob &job = cells.emplace_back();
        job.cell.op = nameOf(file).str();
        job.cell.dtype = dtype;
        job.cell.columns = columns;
        job.cell.rows =
            chooseRows(line, columns, getSizeInBytes(*parseStorageType(dtype)));
        if (line.isSimulated() && job.cell.rows > mostSimulated / columns &&
            !line.dryRun)
          return createStringError(
              "cell " + job.cell.str() +
              " is too large for the simulator: it takes " +
              Twine(mostSimulated) +
              " elements; give fewer --rows or --columns");
        job.job.file = file;
        job.job.columns = columns;
        job.job.rows = job.cell.rows;
        job.job.storage = storageOf(line, job.cell.op, dtype);
        job.job.groups = line.groups;
        job.job.picks = line.picks;
        job.job.pin = line.pin;
        job.job.target = line.target;
        job.job.chip = line.chip;
        job.job.scalars = line.scalars;
      }
  return cells;
}
