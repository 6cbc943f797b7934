//===- include/quack/Plan/Target.h - the numbers of a GPU -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model knows of a GPU: limits from the CUDA programming guide
// (compute capability 9.0), rates and latencies as measured by the project's
// own kernels.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PLAN_TARGET_H
#define QUACK_PLAN_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace quack {

struct Target {
  llvm::StringRef name;
  int64_t sms;              ///< streaming multiprocessors
  int64_t registersPerSM;   ///< 32-bit
  int64_t threadsPerSM;
  int64_t ctasPerSM;
  int64_t maxCluster = 16; ///< CTAs of a cluster, with the attribute that more than 8 need
  int64_t sharedPerSM;      ///< bytes, 1 KB a CTA is reserved of it
  int64_t sharedPerCta;     ///< bytes, opt-in limit
  int64_t sharedBesideL1;   ///< bytes of an SM that leave the L1 cache room enough
                            ///< for the loads under way
  double bandwidth; ///< bytes a microsecond that memory alone would allow:
                    ///< fitted, more than any kernel reaches
  double readBandwidth; ///< the same where little is written
  int64_t l2Bytes;
  double l2Bandwidth;   ///< bytes a microsecond that reads from L2 reach
  double clock;         ///< cycles a microsecond
  double memoryLatency; ///< microseconds from a CTA's first load to its data
  double firstData;    ///< microseconds of a launch in which no data move
  double kernelLaunch; ///< microseconds from the end of a kernel to the first data
                       ///< of the next, which waits for it
  double smBandwidth;  ///< bytes a microsecond that one SM alone reaches
  double shortBandwidth; ///< bytes a microsecond that a launch of a few
                         ///< microseconds reaches
  double ctaStart;      ///< microseconds between two CTAs that start on one SM
  double memberStart;   ///< how much more for each further CTA of a cluster
  double clusterStart;  ///< microseconds more where clusters start and meet
  double foldTime;      ///< microseconds in which a warp folds one partial a lane
  double ctaTurnover;  ///< microseconds between two CTAs in one place
  double ctaLaunch; ///< microseconds of an SM's time that a CTA's start takes
  double clusterLaunch; ///< how much more it takes for each further CTA of a
                        ///< cluster, which must start together, as a factor
  double blockExchange; ///< microseconds for one exchange through shared memory
  double clusterExchange; ///< microseconds for one exchange through DSMEM
  double shuffleLatency;  ///< cycles until the next step of a butterfly
  double clusterMember;   ///< microseconds more for each CTA of the cluster
  double keptRate; ///< the share of the rate that is left where rows that are read
                   ///< again wait in shared memory: they go through the load and
                   ///< store unit three times

  double stayRate; ///< the share of the rate that is left where clusters that stay store as
                   ///< much as they load, by the turns of one loop

  /// Returns whether rows of so many bytes are still in L2 when they are read again.
  bool fitsL2(double bytes) const { return bytes < 0.6 * l2Bytes; }
  /// Returns how many SMs hold CTAs at once in clusters of `cluster`, which must
  /// fit a GPC.
  int64_t smsOfClusters(int64_t cluster) const;

  /// Returns the description called `name` (h100 or h200), if there is one.
  static std::optional<Target> lookup(llvm::StringRef name);
  /// Returns the names that `lookup` knows.
  static llvm::ArrayRef<llvm::StringRef> names();
};

} // namespace quack

#endif // QUACK_PLAN_TARGET_H
