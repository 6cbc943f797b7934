//===- Async.h - operations in flight ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asynchronous operation from issue to completion. It reads its source,
// writes its destination and signals; the schedule says when. In between, the
// destination's bytes are marked as in flight.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_ASYNC_H
#define QUACK_LIB_SIMULATOR_ASYNC_H

#include "Machine.h"
#include "Reduction.h"

namespace quack::sim {

/// What tells that an operation has completed (PTX ISA, "Completion Mechanisms
/// for Asynchronous Copy Operations").
enum class Completion : uint8_t {
  mbarrier,  ///< complete-tx in the destination's CTA
  copyGroup, ///< an async-group of cp.async
  bulkGroup, ///< an async-group of cp.async.bulk
};

struct AsyncOp {
  Completion completion = Completion::mbarrier;
  bool isBulk = false;  ///< of the async proxy
  bool arrives = false; ///< cp.async.mbarrier.arrive: no data, only a signal

  // The source: host memory, in shared memory of `from` at `fromOffset` or in
  // global memory; none if `data` holds it from the start (st.async).
  const uint8_t *source = nullptr;
  uint64_t sourceAddress = 0;             ///< in global memory,
  const uint8_t *sourceWritten = nullptr; ///< see Buffer::written
  Cta *from = nullptr;
  uint32_t fromOffset = 0;
  uint32_t bytes = 0, sourceBytes = 0; ///< beyond sourceBytes are zeros
  llvm::SmallVector<uint8_t, 16> data; ///< what has been read so far

  // The destination: shared memory of `to` at `offset`, or global memory.
  Cta *to = nullptr;
  uint32_t offset = 0;
  uint8_t *target = nullptr;
  uint64_t targetAddress = 0;       ///< in global memory,
  uint8_t *targetWritten = nullptr; ///< see Buffer::written
  Reducer reduce = nullptr;         ///< null: overwrites

  uint32_t mbarrier = 0;               ///< its offset, in `to`
  uint32_t written = 0, signalled = 0; ///< bytes so far
  Warp *warp = nullptr;                ///< who issued it
  const Op *op = nullptr;
  uint32_t lane = 0;
  uint32_t group = 0;
  uint32_t time = 0; ///< of the warp's operations that complete by groups
  uint32_t event = 0, readEvent = 0; ///< in the log: of writing and of reading
};

/// An async-group that its thread has not waited for.
struct OpenGroup {
  uint32_t group = 0;
  uint32_t time = 0;   ///< of its last operation
  bool isRead = false; ///< wait_group.read has returned
};

/// The async-groups of a warp's threads, of one kind. Groups belong to a
/// thread: others neither commit them nor wait for them.
struct AsyncGroups {
  uint32_t committed[warpLanes] = {};
  llvm::SmallVector<OpenGroup, 2> open[warpLanes]; ///< oldest first
};

/// Fills in the destination of an operation on `bytes` bytes. Returns false
/// after a fault.
bool nameDestination(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                     Space space, uint32_t alignment, AsyncOp &async);
/// Fills in the mbarrier of an operation that writes to `async.to`. Returns
/// false after a fault.
bool nameMBarrier(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                  Space space, AsyncOp &async);

/// Starts an operation, whose places are known.
void issue(Warp &warp, const Op &op, unsigned lane, AsyncOp async);

/// Lets a piece of pending operation `index` happen (random schedule).
void progress(Cluster &cluster, size_t index);
/// Lets the oldest pending operation that no group tracks complete, or in the
/// random schedule a piece of any of them happen. Returns false if there is
/// none.
bool progressAny(Cluster &cluster);

/// Commits the open group of each of `lanes`.
void commitGroups(Warp &warp, Completion kind, uint32_t lanes);
/// Waits until at most `keep` groups of each of `lanes` are open; with
/// `onlyRead`, until the older ones have read their sources.
void waitGroups(Warp &warp, Completion kind, uint32_t lanes, uint32_t keep,
                bool onlyRead);

/// Settles what exited lanes have left in flight.
void asyncThreadsExited(Warp &warp, const Op &op, uint32_t lanes);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_ASYNC_H
