//===- tools/quack-sim/Arguments.h - a kernel's arguments -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments as the command line states them:
//
// | --arg                    | passes                                        |
// |--------------------------|-----------------------------------------------|
// | x.npy                    | the address of the array, whatever its dtype  |
// | out:y.npy:f32:64x4096    | the address of memory written to y.npy later  |
// | zeroed:y.npy:f32:64x4096 | the same, of zeros before                     |
// | zeros:1024               | the address of 1024 zero bytes                |
// | same:0                   | the address of the first memory once more     |
// | i8:7 i16:7 i32:7 i64:7   | the integer                                   |
// | f32:0.5 f64:0.5          | the number                                    |
// | hex:0100FF               | a struct of these bytes                       |
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKSIM_ARGUMENTS_H
#define QUACK_TOOLS_QUACKSIM_ARGUMENTS_H

#include "quack/Runtime/Npy.h"
#include "quack/Simulator/Simulator.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace quack {

/// The arguments of a launch and the memory they point to.
class Arguments {
public:
  /// Adds the argument that `text` states.
  llvm::Error add(llvm::StringRef text);
  /// Checks them against the bytes of a kernel's parameters.
  llvm::Error check(llvm::ArrayRef<unsigned> parameterBytes) const;
  /// Hands words and buffers to a launch.
  void apply(sim::LaunchConfig &config);
  /// Returns a line on each output with bytes that nobody wrote. The launch
  /// keeps track of them with checkUndefined only.
  std::vector<std::string> describeUnwritten() const;
  /// Writes the outputs' files.
  llvm::Error writeOutputs() const;

private:
  struct Memory {
    std::vector<char> data;
    std::vector<uint8_t> written; ///< of outputs: no byte holds a value yet
    std::string file;             ///< of an output
    StorageType type = StorageType::f32;
    std::vector<int64_t> shape;
    uint64_t address = 0;
  };
  std::vector<uint64_t> words;
  std::map<unsigned, std::vector<uint8_t>> large;
  std::map<unsigned, unsigned> sizes; ///< of numbers; the rest are addresses
  std::deque<Memory> memories;

  Memory &addMemory(std::vector<char> data);
  llvm::Error addNumber(llvm::StringRef kind, llvm::StringRef text);
  llvm::Error addOutput(llvm::StringRef kind, llvm::StringRef text);
};

} // namespace quack

#endif // QUACK_TOOLS_QUACKSIM_ARGUMENTS_H
