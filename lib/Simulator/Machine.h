//===- Machine.h - the state of running clusters ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps, CTAs, the clusters they form, and the machine in which clusters are
// resident. Clusters meet in global memory only: a cluster of a kernel in which
// they cannot meet has a machine of its own while it runs.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MACHINE_H
#define QUACK_LIB_SIMULATOR_MACHINE_H

#include "CircleWatch.h"
#include "Counters.h"
#include "GlobalRaces.h"
#include "Residency.h"

#include "quack/Simulator/Simulator.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <memory>
#include <set>
#include <unordered_map>

namespace quack::sim {

struct AsyncGroups;
struct AsyncOp;
struct CallState;
struct Cta;
struct Cluster;
class Trace;
struct Machine;

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

enum class Wait : uint8_t {
  none,
  poll,    ///< tried an mbarrier in vain
  barrier, ///< bar.sync `what`
  cluster, ///< barrier.cluster.wait
  lanes,   ///< a .sync instruction whose mask names lanes elsewhere
  grid,    ///< griddepcontrol.wait: for launch `what`
};

/// Lanes of a warp at one program counter.
struct Fragment {
  uint32_t lanes = 0;
  uint32_t pc = 0;
  int join = -1;       ///< where it meets its siblings; an index of Warp::joins
  int activation = -1; ///< the function it is in: of CallState::activations
  Wait wait = Wait::none;
  uint32_t what = 0;
  uint32_t at = 0;     ///< the instruction that waits
  uint64_t seen = 0;   ///< Cluster::events when it began to wait
  uint32_t turns = 0;  ///< backward jumps since it last let others run
  bool hasMet = false; ///< the instruction was done by those it waited for
};

/// A place where the lanes that a branch parted meet again.
struct Join {
  uint32_t pc = 0;
  uint32_t lanes = 0, arrived = 0;
  int parent = -1;
  int activation = -1; ///< that of those who meet
  bool isOpen = false;
};

/// What the fences of lanes have made ready, by distance: for threads of the
/// same CTA, of the same cluster, for all.
struct FenceState {
  std::array<Clock, 3> released;      ///< what the last fence hands on,
  std::array<uint32_t, 3> times = {}; ///< and the step before it; 0: none
  std::array<Clock, 3> observed;      ///< what the next fence acquires
};

/// Lanes of a warp that know the same of others.
struct LaneGroup {
  uint32_t lanes = 0;
  Clock clock;
  std::shared_ptr<FenceState> fences; ///< shared until it changes
};

/// What the value of a location that is accessed strongly hands on, by the
/// distance of who reads it.
struct Location {
  std::array<Clock, 3> handsOn;
  // Who has written it last.
  uint32_t cta = 0, cluster = 0, warp = 0, lane = 0;
};

/// The number that an instruction of a warp has in the log, for one of the
/// warp's steps.
struct CachedEvent {
  const Op *op = nullptr;
  uint32_t time = 0, event = 0, generation = 0;
};

struct Warp {
  Cluster *cluster = nullptr;
  Cta *cta = nullptr;
  uint32_t number = 0; ///< in its CTA
  uint32_t agent = 0;  ///< in the cluster
  uint32_t serial = 0; ///< over all warps that the machine has started
  uint8_t *file = nullptr;
  uint32_t *defined = nullptr; ///< by slot: the lanes whose value is defined
  uint32_t *origin = nullptr;  ///< by slot: the line of an undefined value
  uint32_t lanes = 0, exited = 0;

  llvm::SmallVector<Fragment, 4> fragments;
  llvm::SmallVector<Join, 4> joins;
  unsigned current = 0;   ///< the running fragment
  bool yields = false;    ///< the running fragment lets others run
  bool polls = false;     ///< it has looked at what others may change
  bool isLoose = false;   ///< lanes have left joins without their siblings
  uint32_t asyncTime = 0; ///< of its operations that complete by groups

  uint32_t clusterArrived = 0; ///< lanes that arrived and did not wait
  uint32_t clusterPhase = 0;   ///< of that arrival

  std::unique_ptr<AsyncGroups> copyGroups, bulkGroups; ///< if there are any
  std::unique_ptr<CallState> calls; ///< if there are functions or frames

  llvm::SmallVector<LaneGroup, 1> groups;
  uint32_t time = 1; ///< the present step; ends with each release
  /// By AgentKind: up to when a lane's own operations are done.
  std::array<LaneTimes, numAgentKinds> ownTimes;
  bool hasOwnTimes = false;
  std::array<CachedEvent, 32> cachedEvents;

  template <typename T> T *reg(Slot slot) {
    return reinterpret_cast<T *>(file + size_t(slot) * slotBytes);
  }
  uint32_t &mask(Slot slot) { return *reg<uint32_t>(slot); }
  bool isDone() const { return (lanes & ~exited) == 0; }
  void define(Slot slot, uint32_t which, uint32_t areDefined) {
    defined[slot] = (defined[slot] & ~which) | (areDefined & which);
  }
  Fragment &fragment() { return fragments[current]; }
};

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

/// What a byte of shared memory is.
enum ByteState : uint8_t {
  byteUnwritten = 0,
  byteWritten = 1,
  byteInFlight = 2, ///< an unfinished asynchronous operation's destination
  byteMBarrier = 3,
};

/// PTX ISA, "Contents of the mbarrier object".
struct MBarrier {
  uint32_t offset = 0;
  uint32_t serial = 0;  ///< in its CTA
  int64_t expected = 0; ///< arrivals of each phase
  int64_t pending = 0;  ///< arrivals missing
  int64_t bytes = 0;    ///< tx-count; negative while bytes came before expected
  uint64_t phase = 0;   ///< phases completed
  uint64_t waited = 0;  ///< phases some thread has waited for
  bool hasRemoteData = false, completedRemote = false;
  Agent agent; ///< its times: 1 the initialisation, 2 + n the end of phase n
  Agent views; ///< its times: phases that somebody has seen the end of
  const Warp *initWarp = nullptr;
  uint32_t initLane = 0, initLine = 0;
  bool isInitFenced = false;  ///< by fence.mbarrier_init
  bool isInitProxied = false; ///< by that or by fence.proxy.async
  Clock arriving, completed;

  uint32_t phaseTime() const { return uint32_t(phase) + 2; }
};

/// Barrier resource of a CTA (PTX ISA, bar).
struct NamedBarrier {
  uint32_t expected = 0; ///< threads, if the instructions say; else 0
  uint32_t arrived = 0;
  uint32_t generation = 0;
  uint32_t ones = 0, zeros = 0;         ///< bar.red's predicates so far,
  uint32_t lastOnes = 0, lastZeros = 0; ///< and those of the last generation
  Clock clock;                          ///< of those that arrived
};

struct Cta {
  uint32_t rank = 0;
  uint32_t index = 0;  ///< in the machine
  uint64_t number = 0; ///< in the grid
  uint32_t sm = 0;
  bool isGone = false; ///< it lets dependent launches start, or has exited
  Extent id;
  std::vector<uint8_t> shared;
  std::vector<uint8_t> state; ///< ByteState by byte
  ShadowMap shadow;           ///< by granule
  Clock exitClock;            ///< what its threads knew when they exited
  std::vector<MBarrier> mbarriers;
  uint32_t mbarrierCount = 0; ///< initialised so far
  NamedBarrier barriers[16];
  uint32_t firstWarp = 0, numWarps = 0;
  uint32_t liveThreads = 0;
  bool hasExited = false;

  MBarrier *findMBarrier(uint64_t offset) {
    for (MBarrier &barrier : mbarriers)
      if (barrier.offset == offset)
        return &barrier;
    return nullptr;
  }
};

//===----------------------------------------------------------------------===//
// Clusters and the machine
//===----------------------------------------------------------------------===//

/// splitmix64.
struct Random {
  uint64_t state = 0;
  /// Begins a stream of its own for each seed and number.
  void begin(uint64_t seed, uint64_t number) {
    state = seed;
    state = next() + number;
    state = next();
  }
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) {
    return uint32_t((next() >> 32) * bound >> 32);
  }
};

struct OpCount {
  uint64_t warps = 0, lanes = 0;
};

/// What every cluster of a launch shares; nothing of it changes.
struct Launch {
  const Program *program = nullptr;
  const Trace *trace = nullptr; ///< if the program is a trace's
  const LaunchConfig *config = nullptr;
  const Options *options = nullptr;
  std::vector<uint8_t> parameters;
  std::vector<Buffer> buffers; ///< the launch's and the module's
  bool hasUnwritten = false;   ///< some buffer may have bytes without values
  uint32_t sharedBytes = 0;    ///< static and dynamic
  uint32_t clusterSize = 1;
};

/// A launch in a machine: what is left to start, and what it did.
struct Grid {
  const Launch &launch;
  uint32_t number = 0; ///< in the machine's stream
  bool isProgrammatic = false;
  uint64_t clusters;     ///< in all
  uint64_t started = 0;  ///< clusters that run or have run
  uint64_t exited = 0;   ///< clusters that have run
  uint64_t goneCtas = 0; ///< CTAs that let dependent launches start
  Clock exitClock;       ///< what its threads knew when they exited
  /// Of the random schedule: clusters of which the next one is drawn.
  std::vector<uint64_t> window;

  std::vector<OpCount> counts;           ///< by Op::index
  std::vector<MemoryCount> memoryCounts; ///< by Op::index
  std::vector<TouchedBytes> touched;     ///< by Op::index, if asked for
  uint64_t barrierCount = 0, shuffleCount = 0;
  std::vector<Fault> faults;
  std::set<std::pair<std::string, uint32_t>> reported;

  explicit Grid(const Launch &launch);
  bool isComplete() const { return exited == clusters; }
  /// Returns the cluster to start next; there is one.
  uint64_t takeNext(Random &random);
};

/// Where in the grid a CTA of a cluster is.
Extent ctaId(const Launch &launch, uint64_t cluster, uint32_t rank);
uint64_t ctaNumber(const Launch &launch, const Extent &id);

struct Cluster {
  Machine &machine;
  Grid &grid;
  const Launch &launch;
  const Program &program;
  uint64_t index = 0; ///< in the grid
  std::vector<Cta> ctas;
  std::vector<Warp> warps;
  std::deque<std::unique_ptr<AsyncOp>> pending; ///< oldest first

  // barrier.cluster
  uint32_t clusterPhase = 0, clusterArrivals = 0, liveThreads = 0;
  Clock clusterClock, clusterReleased;

  uint64_t events = 0; ///< grows whenever something that may be waited for ends
  uint64_t stuckAt = UINT64_MAX; ///< `events` when nobody could go on
  uint64_t idleAt = 0;           ///< `events` when waiting lanes tried again
  unsigned idle = 0;             ///< and how often they have since
  bool checksUndefined, checksAsync, checksRaces, checksProtocol;
  bool tracksOrder; ///< for the checks of races and of the protocol
  // The grid's.
  std::vector<OpCount> &counts;
  std::vector<MemoryCount> &memoryCounts;
  std::vector<TouchedBytes> &touched;

  Cluster(Machine &machine, Grid &grid);
  ~Cluster();
  /// Starts cluster `number` of the grid; its CTAs run on `sms`.
  void start(uint64_t number, llvm::ArrayRef<uint32_t> sms);
  /// Returns the first warp from `from` on, in the order of the schedule, that
  /// can go on.
  Warp *pickWarp(uint32_t from);
  /// Where the schedule's order of warps begins, and what comes after `warp`:
  /// warps.size() after the last.
  uint32_t firstWarp() const;
  uint32_t nextWarp(uint32_t warp) const;

private:
  std::vector<uint8_t> files;
  std::vector<uint32_t> definedness, origins;
  void startCta(Cta &cta, uint32_t rank);
  void startWarp(Warp &warp);
  Warp *scan(uint32_t from);
  bool stir();
};

/// Runs clusters and gives their warps turns by the schedule (Machine.cpp).
struct Machine {
  const Options &options;
  std::deque<Grid> grids; ///< in the order of the stream
  Random random;
  uint64_t steps = 0; ///< warp instructions
  bool isStopped = false;
  bool isTogether = false; ///< in runTogether
  CircleWatch watch;
  uint64_t slept = 0;      ///< simulated time that passed in nanosleep
  uint64_t clockReads = 0; ///< so that no two reads are the same
  uint32_t warpsStarted = 0, ctasStarted = 0;
  AccessLog log;
  GlobalShadow global; ///< cells, if races are checked
  std::unordered_map<uint64_t, Location> locations; ///< by Spot::key

  /// Simulated time, in nanoseconds and in cycles of the clock alike: one for
  /// each warp instruction.
  uint64_t now() { return steps + slept + ++clockReads; }
  /// Launches after the first are programmatic.
  explicit Machine(llvm::ArrayRef<const Launch *> launches);
  /// Runs cluster `number` of the only grid, alone.
  void runAlone(uint64_t number);
  /// Runs all grids. Resident clusters take turns; one that exits makes room
  /// for the next.
  void runTogether();
  /// Notes that a CTA lets dependent launches start.
  void noteGone(Cta &cta, Grid &grid);
  /// The clusters that have started and not exited, in the order of their
  /// turns.
  llvm::ArrayRef<Cluster *> liveClusters() const { return live; }

private:
  std::vector<std::unique_ptr<Cluster>> clusters; ///< of all times
  std::vector<Cluster *> live, idle;
  Residency residency;
  size_t fromCluster = 0;  ///< whose turn is next,
  uint32_t fromWarp = 0;   ///< and which of its warps'
  bool passesOn = false;   ///< the warp that had its turn polls
  uint64_t quietSince = 0; ///< `steps` when something has last happened

  void reset(uint64_t number);
  Cluster &makeCluster(Grid &grid);
  bool mayStart(size_t grid) const;
  bool startNext();
  bool startDependent();
  void retire(Cluster &cluster);
  Warp *pick();
  void giveTurn(Warp &warp);
  void moveTurn(const Warp &warp);
  void checkProgress(const Warp &warp);
  void run();
};

//===----------------------------------------------------------------------===//
// Faults (Checks.cpp)
//===----------------------------------------------------------------------===//

/// Reports a fault of `op`; once for each kind and line in a machine's run.
void report(Warp &warp, const Op &op, uint32_t lane, llvm::StringRef kind,
            const llvm::Twine &text);
/// The same as a warning.
void warn(Warp &warp, const Op &op, uint32_t lane, llvm::StringRef kind,
          const llvm::Twine &text);
/// Reports an undefined value of `slot` among `lanes` that reaches `use`.
/// Returns the lanes whose value is defined.
uint32_t requireDefined(Warp &warp, const Op &op, Slot slot, uint32_t lanes,
                        llvm::StringRef use);
/// Reports who waits for what: nobody can go on, or all `spin`.
void reportDeadlock(Machine &machine, bool spin = false);

inline uint32_t firstLane(uint32_t lanes) {
  return uint32_t(__builtin_ctz(lanes));
}

//===----------------------------------------------------------------------===//
// Order (Order.cpp)
//===----------------------------------------------------------------------===//

Agent agentOf(const Warp &warp, AgentKind kind);
LaneGroup &groupOf(Warp &warp, unsigned lane);
/// Parts groups so that each lies within `lanes` or outside.
void partGroups(Warp &warp, uint32_t lanes);
/// Returns what a lane knows of others.
Clock &clockOf(Warp &warp, unsigned lane);
/// Hands what `lanes` know and have done on to `into`, and ends the warp's
/// step: what they do from now on is not covered.
void release(Warp &warp, uint32_t lanes, Clock &into);
/// Hands on what `lanes` have done themselves up to `time`.
void handOnOwn(Warp &warp, uint32_t lanes, uint32_t time, Clock &into);
/// From now on `lanes` come after what `from` knows.
void acquire(Warp &warp, uint32_t lanes, const Clock &from);
/// From now on `lanes` come after what the agent has done up to `time`.
void learn(Warp &warp, uint32_t lanes, Agent agent, uint32_t time);
/// Notes that each of `lanes` knows its own operations of `kind` up to `time`.
void learnOwn(Warp &warp, uint32_t lanes, AgentKind kind, uint32_t time);
void startOrder(Warp &warp);
/// Lets `lanes` exit.
void endOrder(Warp &warp, uint32_t lanes);

//===----------------------------------------------------------------------===//
// Races (Races.cpp)
//===----------------------------------------------------------------------===//

/// Checks that `lanes` may access bytes of shared memory, and notes it.
void noteShared(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
                uint32_t offset, uint32_t bytes, AccessKind kind);

/// The same for the initialisation of an mbarrier, which is done for those who
/// know of it as time 1 of the mbarrier.
void noteInit(Warp &warp, const Op &op, unsigned lane, Agent mbarrier,
              uint32_t offset);

/// Notes that lanes use an mbarrier, which must not be initialised or
/// invalidated meanwhile.
void noteUse(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
             const MBarrier &barrier);

/// Returns the number of an asynchronous operation that a lane issues. It is
/// done for those who know `agent` up to `time`, which endAsync may set.
uint32_t beginAsync(Warp &warp, const Op &op, unsigned lane, Agent agent,
                    uint32_t time, bool isAsyncProxy);
/// Checks that the operation `event` may access shared memory from its issue
/// on, and notes it.
void noteAsync(Warp &warp, const Op &op, unsigned lane, Cta &cta,
               uint32_t offset, uint32_t bytes, AccessKind kind,
               uint32_t event);
void noteAsyncGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                     uint32_t bytes, AccessKind kind, uint32_t event);
/// The operation is complete.
void endAsync(Cluster &cluster, uint32_t event);
void endAsync(Cluster &cluster, uint32_t event, uint32_t time);

/// A weak write displaces what a location's value hands on (Fences.cpp).
void forgetReleases(Machine &machine, uint64_t key);

/// A bulk copy accesses memory through the async proxy: what lanes wrote
/// through the generic one must lie before a fence.proxy.async of theirs.
void checkProxy(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                uint32_t offset, uint32_t bytes, bool overwrites);
void checkGlobalProxy(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                      uint32_t bytes, bool overwrites);
/// fence.proxy.async
void runProxyFence(Warp &warp, const Op &op, uint32_t lanes);

/// Checks what may still happen to the shared memory of a CTA all of whose
/// threads have exited.
void checkExit(Warp &warp, const Op &op, uint32_t lane, Cta &cta);

/// Forgets what no cell names any more, if that is much. Before an instruction
/// that accesses memory: it changes the numbers of events.
void trimLog(Machine &machine);

//===----------------------------------------------------------------------===//
// Execution (Warp.cpp, Barriers.cpp, MBarriers.cpp)
//===----------------------------------------------------------------------===//

/// Runs the warp's current fragment for up to `budget` instructions, until it
/// waits, yields or ends.
void runFragment(Warp &warp, uint64_t budget);
/// Backward jumps after which a fragment lets others run.
inline constexpr uint32_t turnLimit = 256;
/// Notes an access that may wait for another thread: a loop around it is cut
/// short.
inline void notePoll(Warp &warp) {
  warp.polls = true;
  warp.fragment().turns += turnLimit / 4;
}
/// Notes a backward jump: a fragment lets others run after some.
inline void noteBackwardJump(Warp &warp) {
  uint32_t &turns = warp.fragment().turns;
  if (++turns <= turnLimit)
    return;
  turns = 0;
  warp.yields = true;
}
/// Makes the lanes of the current fragment wait; they execute this instruction
/// again after the next event.
void waitHere(Warp &warp, Wait wait, uint32_t what);

/// Lets the barriers know that `lanes` of `warp` have exited.
void threadsExited(Warp &warp, uint32_t lanes, const Op &op);
/// complete-tx of `bytes` at an mbarrier.
void completeBytes(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier,
                   uint32_t bytes);
/// arrive-on with `count` at an mbarrier; orders nothing by itself.
void arriveOn(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier,
              uint32_t count);
/// Adds an arrival to the present phase, for one that is to come.
void addPending(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier);
/// Checks that a lane knows of the mbarrier's initialisation.
bool checkInitVisible(Warp &warp, const Op &op, unsigned lane,
                      const MBarrier &barrier);
/// The async proxy sees an initialisation that a fence follows.
void checkInitProxied(Warp &warp, const Op &op, unsigned lane,
                      const MBarrier &barrier);

/// Where an address of shared memory leads; null if nowhere.
struct SharedPlace {
  Cta *cta = nullptr;
  uint64_t offset = 0;
};
SharedPlace resolveShared(Warp &warp, uint64_t address, Space space);
/// Returns host memory for `bytes` bytes of global memory, or null.
uint8_t *resolveGlobal(const Launch &launch, uint64_t address, uint64_t bytes);

/// Returns what says which bytes of global memory hold values; null if all do.
uint8_t *findWritten(const Launch &launch, uint64_t address, uint64_t bytes);

/// Checks that the peer's shared memory may be accessed.
bool checkPeer(Warp &warp, const Op &op, uint32_t lane, const Cta &cta);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MACHINE_H
