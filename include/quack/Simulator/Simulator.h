//===- include/quack/Simulator/Simulator.h - runs PTX -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes PTX text on the CPU, thread by thread, with the faults named that a
// GPU is silent about, and counts what the program asks of the machine. A run
// depends on nothing but its inputs: the same launch gives the same bits and
// the same faults on every host and with any number of host threads.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SIMULATOR_SIMULATOR_H
#define QUACK_SIMULATOR_SIMULATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace quack::sim {

/// When asynchronous operations happen, and whose turn it is.
///
/// | schedule | an asynchronous operation happens   | next to run        |
/// |----------|-------------------------------------|--------------------|
/// | eager    | when it is issued                   | the lowest CTA     |
/// | lazy     | when nobody can go on without it    | the highest CTA    |
/// | random   | in pieces, at random times          | anyone             |
enum class Schedule { eager, lazy, random };

/// Which checks run, as bits.
enum Check : unsigned {
  checkUndefined = 1, ///< values nobody wrote reach an address, branch or store
  checkAsync = 2,     ///< data of an unfinished asynchronous operation
  checkRaces = 4,     ///< accesses that nothing orders
  checkProtocol = 8,  ///< barriers, peers that may not run (any more)
  checkAll = 15,
  checkStrict = 16, ///< warnings of what is seldom wrong; not in checkAll
};

/// Lanes whose instructions a trace shows.
struct TraceChoice {
  uint64_t cta = 0; ///< linear in the grid
  uint32_t warp = 0;
  uint32_t lanes = 1; ///< a mask
};

struct Options {
  Schedule schedule = Schedule::eager;
  uint64_t seed = 0;               ///< of the random schedule
  unsigned checks = checkAll;      ///< bits of Check; bounds are always on
  uint64_t stepLimit = 1ull << 32; ///< warp instructions of one cluster
  /// Accesses that the check of races may have to keep at a time, for all that
  /// run together; at least 2^14, at most 2^25. More are a fault.
  uint32_t accessLimit = 1u << 25;
  /// Clusters that run at a time. The result is the same with any number; only
  /// without the check of races it is not if clusters race.
  unsigned hostThreads = 1;
  unsigned maxFaults = 16;    ///< of one cluster; then it stops
  bool countsTouched = false; ///< fill in the touched bytes
  /// What these execute goes to `traceTo`, a line an instruction.
  std::vector<TraceChoice> trace;
  llvm::raw_ostream *traceTo = nullptr;
  uint64_t traceLimit = 10000; ///< lines of a trace
};

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Global memory that a launch may touch; nothing around it is there.
struct Buffer {
  uint64_t address = 0; ///< what the kernel is passed
  void *data = nullptr;
  uint64_t bytes = 0;
  /// By byte: whether it holds a value. Null: all do.
  uint8_t *written = nullptr;
};

struct LaunchConfig {
  std::string kernel; ///< empty: the module's only kernel
  Extent grid, block, cluster;
  uint32_t sharedBytes = 0; ///< dynamic shared memory
  /// One word for each parameter, its value in the low bytes.
  std::vector<uint64_t> arguments;
  /// By parameter: the bytes of one that is larger than a word, such as a
  /// struct passed by value; its word does not count.
  std::map<unsigned, std::vector<uint8_t>> largeArguments;
  std::vector<Buffer> buffers;
  /// %gridid, which tells launches apart; the launches of a stream count on
  /// from each one's own.
  uint64_t gridId = 0;
};

/// Something that a GPU need not notice.
struct Fault {
  std::string kind; ///< "out-of-bounds", "race", ...: stable, for tests
  uint32_t line = 0;
  uint32_t cta = 0, warp = 0; ///< linear index in the grid, and in the CTA
  uint32_t lane = 0;
  bool isWarning = false; ///< may be meant; does not make a run unclean
  std::string text;       ///< what is wrong, with addresses

  /// Returns "line 12: out-of-bounds: ... (CTA 3, warp 0, lane 7)".
  std::string str() const;
};

/// What one instruction of the text cost, over all warps.
struct InstructionCount {
  uint32_t line = 0;
  std::string text;
  uint64_t warps = 0; ///< warp instructions executed with any lane on
  uint64_t lanes = 0; ///< lanes that took part

  uint64_t requests = 0; ///< warp instructions that reached memory
  uint32_t width = 0;    ///< bytes a lane accesses

  // Global memory: sectors of 32 bytes, lines of 128; the least sectors are
  // those that the request's distinct bytes fill.
  uint64_t bytesRead = 0, bytesWritten = 0; ///< that lanes ask for
  uint64_t touchedBytes = 0; ///< distinct ones, with Options::countsTouched
  uint64_t sectors = 0, leastSectors = 0, lines = 0;

  // Shared memory. More wavefronts than the least are bank conflicts.
  uint64_t wavefronts = 0, leastWavefronts = 0;
  uint64_t remoteBytes = 0; ///< to or from other CTAs of the cluster

  /// Cycles that the instruction keeps a unit of its SM busy, roughly: a
  /// quarter for issuing a warp instruction (four schedulers), one for a
  /// wavefront, two for a sector (an SM's share of an H200's HBM).
  double cost() const {
    return double(warps) / 4 + double(wavefronts) + 2 * double(sectors);
  }
};

/// Shared-memory accesses of one width.
struct WidthCount {
  uint32_t width = 0; ///< bytes a lane accesses
  uint64_t requests = 0, wavefronts = 0, leastWavefronts = 0;
};

/// What a launch did.
struct Report {
  std::string schedule; ///< as parseSchedules takes it
  std::vector<Fault> faults;
  std::vector<InstructionCount> instructions; ///< in the order of the text
  uint64_t warpInstructions = 0, laneInstructions = 0;
  uint64_t globalBytesRead = 0, globalBytesWritten = 0;
  /// Distinct bytes, with Options::countsTouched.
  uint64_t touchedBytesRead = 0, touchedBytesWritten = 0;
  uint64_t globalRequests = 0, sectors = 0, leastSectors = 0, lines = 0;
  uint64_t wavefronts = 0, leastWavefronts = 0;
  uint64_t barriers = 0, shuffles = 0, remoteBytes = 0;
  /// The host's memory that the check of races took, over all host threads.
  uint64_t shadowBytes = 0;

  /// Returns whether there is no fault but warnings.
  bool isClean() const;
  /// Returns the widths of accesses to shared memory, ascending.
  std::vector<WidthCount> sharedWidths() const;
  /// Returns how many warp instructions had each cache operator, eviction
  /// priority, prefetch size or policy, by the modifier's name; `prefetch`
  /// counts the instructions of that name.
  std::map<std::string, uint64_t> cacheModifiers() const;
  /// Returns the counters as text, the costliest instructions first.
  std::string str(unsigned topInstructions = 12) const;
  /// Returns the faults and all counters.
  llvm::json::Value toJSON() const;
};

struct ModuleImpl;

/// PTX that is parsed and decoded.
class Module {
public:
  /// Parses `text`. An unknown instruction, modifier or directive is an error
  /// "name:line:column: ...".
  static llvm::Expected<Module> parse(llvm::StringRef text,
                                      llvm::StringRef name = "ptx");
  Module(Module &&);
  Module &operator=(Module &&);
  ~Module();

  /// Returns "line 12: ..." on the first place where a GPU may round otherwise,
  /// or nothing.
  const std::string &warning() const;

  /// Returns the kernels' names in the order of the text.
  std::vector<std::string> kernels() const;

  /// Returns the bytes of each parameter of a kernel that there is.
  std::vector<unsigned> parameterBytes(llvm::StringRef kernel) const;

  /// Returns the block, or the cluster, that a kernel requires (the module's
  /// first if `kernel` is empty); all 0 if any will do.
  Extent requiredBlock(llvm::StringRef kernel) const;
  Extent requiredCluster(llvm::StringRef kernel) const;

  /// Runs a kernel. An error means that the launch itself is wrong (no such
  /// kernel, shape against the directives); faults of the program are in the
  /// report.
  llvm::Expected<Report> launch(const LaunchConfig &config,
                                const Options &options = {}) const;

  /// Runs a kernel once with each of `options`, every time on the memory as it
  /// was before, until a run finds a fault. Memory that another run left in
  /// another state is a fault, `schedule-dependent`, unless the kernel has
  /// atomic operations, whose order is free. Returns the last run's report.
  llvm::Expected<Report> launchEach(const LaunchConfig &config,
                                    llvm::ArrayRef<Options> options) const;

private:
  friend llvm::Expected<std::vector<Report>>
  launchAll(llvm::ArrayRef<struct StreamLaunch> stream, const Options &options);
  explicit Module(std::unique_ptr<ModuleImpl> impl);
  std::unique_ptr<ModuleImpl> impl;
};

/// Reads "CTA:WARP" (lane 0) or "CTA:WARP:LANES" with LANES such as 0-3,8.
llvm::Expected<TraceChoice> parseTrace(llvm::StringRef text);

/// Returns `options` once for each schedule that `text` lists, separated by
/// commas: "eager", "lazy", "random:SEED" or "random:FIRST-LAST".
llvm::Expected<std::vector<Options>> parseSchedules(llvm::StringRef text,
                                                    const Options &options);

/// A launch in a stream.
struct StreamLaunch {
  const Module *module = nullptr;
  LaunchConfig config;
  /// It may start when each CTA of the launch before it has executed
  /// griddepcontrol.launch_dependents or exited (CUDA's programmatic stream
  /// serialization); else when all launches before it are complete.
  bool programmatic = false;
};

/// Runs the launches of a stream; returns a report for each. An error means
/// that some launch itself is wrong: none has run then.
llvm::Expected<std::vector<Report>>
launchAll(llvm::ArrayRef<StreamLaunch> stream, const Options &options = {});

} // namespace quack::sim

#endif // QUACK_SIMULATOR_SIMULATOR_H
