//===- include/quack/Run/Yardstick.h - what memory gives --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's speed is compared with: the fastest copy of as many bytes,
// half read and half written; for a kernel that hardly writes, the fastest
// read. Candidates are the driver's copy and our own kernels, swept over
// threads, pieces a thread and store policy.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_YARDSTICK_H
#define QUACK_RUN_YARDSTICK_H

#include "quack/Run/Timing.h"

#include <map>
#include <string>
#include <vector>

namespace quack {

/// A named candidate.
struct Candidate {
  std::string name;
  Work work;
};

/// One of several places in memory, for work that rotates over them.
struct Place {
  int64_t number = 0, count = 1;
};

/// The copy and read kernels, loaded once a session.
class Yardstick {
public:
  static llvm::Expected<std::shared_ptr<Yardstick>> create(Session &session);

  /// Returns the best candidates for moving `bytes` in all: a copy of half as
  /// many, or a read. The choice is measured once for sizes that differ little.
  llvm::Expected<std::vector<Candidate>> bestCandidates(Session &session,
                                                        int64_t bytes,
                                                        bool isRead,
                                                        Place place = {});

private:
  /// One of our kernels with its launch.
  struct Variant {
    std::string name;
    cuda::Function function;
    int64_t threads = 0, piecesPerThread = 0;
  };

  llvm::Error addVariants(const cuda::Context &context);
  /// Returns the numbers of the candidates that are the fastest.
  llvm::Expected<std::vector<size_t>>
  findBest(Session &session, llvm::ArrayRef<Candidate> all) const;
  llvm::Error reserve(const cuda::Context &context, int64_t bytes);
  /// Returns work for all candidates, the driver's copy first.
  std::vector<Candidate> makeCandidates(const cuda::Context &context,
                                        int64_t bytes, bool isRead,
                                        int64_t place) const;

  cuda::Module module;
  std::vector<Variant> copies, reads;
  std::shared_ptr<cuda::Buffer> from, to; ///< shared with candidates
  std::map<std::pair<int64_t, bool>, std::vector<size_t>> bestBySize;
};

} // namespace quack

#endif // QUACK_RUN_YARDSTICK_H
