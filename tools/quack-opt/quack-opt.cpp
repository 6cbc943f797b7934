//===- tools/quack-opt/quack-opt.cpp - the compiler driver ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An MLIR opt tool with the project's dialects and passes; with --emit it goes
// the whole way from row programs to PTX.
//
//===----------------------------------------------------------------------===//

#include "DriverOptions.h"
#include "Emit.h"
#include "quack/InitAll.h"
#include "quack/Pipelines/ReadModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "quack-opt: " << message << "\n";
  return 1;
}

/// The opt mode: the passes that the options name.
static int optMain(int argc, char **argv, DialectRegistry &registry) {
  DriverOptions driver;
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv,
      "quack compiler driver: row programs to PTX\n\n"
      "Whole way:  quack-opt softmax.mlir --columns=32000 --storage=bf16 "
      "--emit=ptx -o softmax.ptx   (see --emit=ptx --help)\n",
      registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (llvm::StringRef given = driver.firstGiven(); !given.empty())
    return fail(
        "--" + given +
        " goes with --emit=plan, report, tv, gpu, llvm, ptx or bundle; single passes "
        "have options of their own, such as --quack-specialize=columns=64");
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openProgram(input, &error);
  if (!file)
    return fail(error);
  std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(output, &error);
  if (!out)
    return fail(error);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  // In the form of the parser's errors, without the line, which may be long.
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    auto place = cast<FileLineColLoc>(diagnostic.getLocation());
    llvm::errs() << place.getFilename().getValue() << ":" << place.getLine() << ":"
                 << place.getColumn() << ": error: " << diagnostic << "\n";
    return success();
  });
  if (failed(checkNesting(*file, &context)))
    return 1;
  if (failed(MlirOptMain(out->os(), std::move(file), registry, config)))
    return 1;
  out->keep();
  return 0;
}

extern "C" int quackOptMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &os) { os << "quack " QUACK_VERSION "\n"; });
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  return wantsEmit(argc, argv) ? emitMain(argc, argv, registry)
                               : optMain(argc, argv, registry);
}
