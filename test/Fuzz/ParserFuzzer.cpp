//===- test/Fuzz/ParserFuzzer.cpp - any text as PTX -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the text, the parser and the decoder return a module or an error.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

using namespace quack::sim;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<Module> module = Module::parse(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), "fuzz");
  if (!module)
    llvm::consumeError(module.takeError());
  return 0;
}
