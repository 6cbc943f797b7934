//===- test/Fuzz/ReplayMain.cpp - a fuzz target without fuzzer --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a target on each file of the folders named, which is what libFuzzer does
// with -runs=0.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  unsigned inputs = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    for (sys::fs::directory_iterator it(argv[i], error), end;
         !error && it != end; it.increment(error)) {
      ErrorOr<std::unique_ptr<MemoryBuffer>> file =
          MemoryBuffer::getFile(it->path());
      if (!file) {
        error = file.getError();
        break;
      }
      StringRef bytes = (*file)->getBuffer();
      LLVMFuzzerTestOneInput(bytes.bytes_begin(), bytes.size());
      ++inputs;
    }
    if (error) {
      errs() << argv[i] << ": " << error.message() << "\n";
      return 1;
    }
  }
  outs() << inputs << " inputs\n";
  return inputs == 0;
}
