//===- Trace.h - what chosen lanes execute ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A traced launch runs a copy of the program whose handlers print what they
// did, so that a launch without a trace pays nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_TRACE_H
#define QUACK_LIB_SIMULATOR_TRACE_H

#include "Program.h"

#include "quack/Simulator/Simulator.h"

namespace quack::sim {

/// The program of a traced launch.
class Trace {
public:
  /// `source` is the module's text.
  Trace(const Program &program, llvm::StringRef source, const Options &options);

  const Program *program() const { return &traced; }

private:
  Program traced;
  std::vector<Handler> handlers;  ///< the program's own, by Op::index
  std::vector<std::string> texts; ///< by Op::index
  const std::vector<TraceChoice> &choices;
  llvm::raw_ostream &os;
  mutable uint64_t left; ///< lines that may still be printed

  static void run(Warp &warp, const Op &op, uint32_t lanes);
  void print(Warp &warp, const Op &op, uint32_t lanes, uint32_t chosen,
             bool waits) const;
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_TRACE_H
