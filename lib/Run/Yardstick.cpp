//===- lib/Run/Yardstick.cpp - what memory gives ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy and read kernels are written here as PTX: 16-byte accesses, all
// loads of a thread before its first store, one grid over all pieces.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Yardstick.h"

#include "quack/Runtime/CopyKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace quack;

Error Yardstick::addVariants(const cuda::Context &context) {
  for (const CopyKernel &kernel : getCopyKernels()) {
    Expected<cuda::Function> function =
        context.getFunction(module, kernel.name);
    if (!function)
      return function.takeError();
    for (int64_t threads : {256, 512, 1024})
      (kernel.isRead ? reads : copies)
          .push_back({kernel.name + "_" + std::to_string(threads), *function,
                      threads, kernel.piecesPerThread});
  }
  return Error::success();
}

Expected<std::shared_ptr<Yardstick>> Yardstick::create(Session &session) {
  auto yardstick = std::make_shared<Yardstick>();
  Expected<cuda::Module> module =
      session.context->loadModule(getCopyKernelsPTX());
  if (!module)
    return module.takeError();
  yardstick->module = std::move(*module);
  if (Error error = yardstick->addVariants(*session.context))
    return error;
  return yardstick;
}

Error Yardstick::reserve(const cuda::Context &context, int64_t bytes) {
  for (std::shared_ptr<cuda::Buffer> *buffer : {&from, &to}) {
    if (*buffer && (*buffer)->size() >= bytes)
      continue;
    // Candidates of before may have the smaller one, which is theirs then.
    buffer->reset();
    Expected<cuda::Buffer> larger = context.allocate(bytes);
    if (!larger)
      return larger.takeError();
    *buffer = std::make_shared<cuda::Buffer>(std::move(*larger));
    if (Error error = context.fill((*buffer)->address(), 0x3C, bytes))
      return error;
  }
  return Error::success();
}

/// Returns how far apart places of `bytes` lie.
static int64_t distanceOf(int64_t bytes) { return alignTo(bytes, 256); }

std::vector<Candidate> Yardstick::makeCandidates(const cuda::Context &context,
                                                 int64_t bytes, bool isRead,
                                                 int64_t place) const {
  std::vector<Candidate> candidates;
  cuda::DevicePointer source = from->address() + place * distanceOf(bytes);
  cuda::DevicePointer target = to->address() + place * distanceOf(bytes);
  // Each candidate keeps what it works on.
  auto held = std::make_pair(from, to);
  if (!isRead)
    candidates.push_back(
        {"cuMemcpyDtoDAsync", [&context, source, target, bytes, held] {
           return context.copyOnDevice(target, source, bytes);
         }});
  for (const Variant &variant : isRead ? reads : copies) {
    int64_t pieces = bytes / copyPieceBytes;
    int64_t perBlock = variant.threads * variant.piecesPerThread;
    cuda::LaunchShape shape;
    shape.grid = std::max<int64_t>(1, (pieces + perBlock - 1) / perBlock);
    shape.threads = variant.threads;
    cuda::Function function = variant.function;
    candidates.push_back(
        {variant.name, [&context, source, target, pieces, shape, function, held] {
           uint64_t values[] = {source, target, static_cast<uint64_t>(pieces)};
           void *parameters[] = {&values[0], &values[1], &values[2]};
           return context.launch(function, shape, parameters);
         }});
  }
  return candidates;
}

Expected<std::vector<size_t>>
Yardstick::findBest(Session &session, ArrayRef<Candidate> all) const {
  constexpr size_t kept = 3;
  auto works = map_to_vector(
      all, [](const Candidate &candidate) { return candidate.work; });
  Expected<std::vector<double>> times =
      timeInterleaved(session, works, /*warmups=*/2, /*iterations=*/5);
  if (!times)
    return times.takeError();
  std::vector<size_t> best(all.size());
  std::iota(best.begin(), best.end(), 0);
  llvm::sort(best,
             [&](size_t a, size_t b) { return (*times)[a] < (*times)[b]; });
  best.resize(std::min(best.size(), kept));
  return best;
}

/// Returns what sizes have in common that have the same best candidates: their
/// leading bits. Kernels differ in a row or two of weights.
static int64_t sizeClass(int64_t bytes) {
  constexpr int64_t leadingBits = 6;
  int64_t bits = Log2_64(std::max<int64_t>(bytes, 1)) + 1;
  int64_t dropped = std::max<int64_t>(bits - leadingBits, 0);
  return bytes >> dropped << dropped;
}

Expected<std::vector<Candidate>> Yardstick::bestCandidates(Session &session,
                                                           int64_t bytes,
                                                           bool isRead,
                                                           Place place) {
  int64_t moved = std::max<int64_t>(
      alignTo(isRead ? bytes : bytes / 2, copyPieceBytes), copyPieceBytes);
  if (Error error = reserve(*session.context, place.count * distanceOf(moved)))
    return error;
  std::vector<Candidate> all =
      makeCandidates(*session.context, moved, isRead, place.number);
  std::vector<size_t> &best = bestBySize[{sizeClass(moved), isRead}];
  if (best.empty()) {
    Expected<std::vector<size_t>> found = findBest(session, all);
    if (!found)
      return found.takeError();
    best = std::move(*found);
  }
  std::vector<Candidate> chosen;
  for (size_t index : best)
    chosen.push_back(all[index]);
  return chosen;
}
