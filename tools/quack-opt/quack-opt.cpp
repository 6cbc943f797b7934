//===- tools/quack-opt/quack-opt.cpp - the compiler driver ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An MLIR opt tool with the project's dialects and passes; with --emit it goes
// the whole way from row programs to PTX.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "quack/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &os) { os << "quack " QUACK_VERSION "\n"; });
  mlir::DialectRegistry registry;
  quack::registerAllDialects(registry);
  quack::registerAllPasses();
  if (quack::wantsEmit(argc, argv))
    return quack::emitMain(argc, argv, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "quack compiler driver: row programs to PTX\n\n"
      "Whole way:  quack-opt softmax.mlir --columns=32000 --storage=bf16 "
      "--emit=ptx -o softmax.ptx   (see --emit=ptx --help)\n",
      registry));
}
