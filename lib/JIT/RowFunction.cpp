//===- lib/JIT/RowFunction.cpp - compiled when called --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that has the types and columns of the one before finds its kernel by
// comparing a few numbers; other calls look them up in a map; a call that is
// the first of its kind compiles, while others go on.
//
//===----------------------------------------------------------------------===//

#include "quack/JIT/RowFunction.h"

#include "Arguments.h"
#include "Compile.h"
#include "quack/Simulator/HostLaunch.h"

#include <map>
#include <mutex>

using namespace llvm;
using namespace quack;
using namespace quack::jit;

namespace {
/// What calls with one key share. What is compiled stays: launches may be going on.
struct Specialization {
  std::once_flag compiling;
  std::atomic<bool> isCompiled = false;
  std::unique_ptr<const Executable> executable;
  const Executable::Kernel *kernel = nullptr;
  std::string failure; ///< of the compiler; the same each time

  std::once_flag parsing;
  std::optional<sim::Module> simulated;
  std::string simulatorFailure;
};

/// Compares without regard to the values' sizes.
struct KeyOrder {
  bool operator()(const Key &a, const Key &b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};
} // namespace

struct RowFunction::State {
  std::string text, fileName;
  Options options;

  using Map = std::map<Key, Specialization, KeyOrder>;
  std::mutex mutex; ///< of the map; entries stay where they are
  Map specializations;
  std::atomic<Map::value_type *> latest = nullptr;

  Expected<Specialization *> find(const Signature &program, const Key &key);
  Specialization *findCompiled(const Key &key);
  /// Reads a call, and returns what it takes.
  Expected<Specialization *> resolve(const Signature &program,
                                     ArrayRef<CallArgument> arguments, ReadCall &read) {
    if (Error error = readCall(program, arguments, read))
      return error;
    return find(program, read.key);
  }
  void compile(const Signature &program, const Key &key, Specialization &result) const;
};

void RowFunction::State::compile(const Signature &program, const Key &key,
                              Specialization &result) const {
  auto fail = [&](Error error) { result.failure = toString(std::move(error)); };
  Expected<Options> asked = optionsFor(program, key);
  if (!asked)
    return fail(asked.takeError());
  Options all = options;
  for (const auto &[name, value] : *asked)
    all[name] = value;
  bool isOnHost = key.back();
  Expected<std::unique_ptr<const Executable>> executable =
      jit::compile(text, fileName, all, /*wantsCubin=*/!isOnHost);
  if (!executable)
    return fail(executable.takeError());
  result.kernel = (*executable)->lookup(program.kernel);
  if (!result.kernel)
    return fail(createStringError("the compiled module has no kernel '" + program.kernel +
                                  "'"));
  result.executable = std::move(*executable);
}

Expected<Specialization *> RowFunction::State::find(const Signature &program, const Key &key) {
  Map::value_type *entry = latest;
  if (!entry || entry->first != key) {
    std::lock_guard<std::mutex> lock(mutex);
    entry = &*specializations.try_emplace(key).first;
  }
  Specialization &found = entry->second;
  std::call_once(found.compiling, [&] { compile(program, key, found); });
  if (!found.executable)
    return createStringError(found.failure);
  found.isCompiled = true;
  latest = entry;
  return &found;
}

Specialization *RowFunction::State::findCompiled(const Key &key) {
  Map::value_type *entry = latest;
  if (entry && entry->first == key)
    return &entry->second;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = specializations.find(key);
  if (found == specializations.end() || !found->second.isCompiled)
    return nullptr;
  latest = &*found;
  return &found->second;
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

RowFunction::RowFunction() : state(std::make_unique<State>()) {}
RowFunction::~RowFunction() = default;

Expected<std::unique_ptr<RowFunction>> RowFunction::create(std::string text, std::string fileName,
                                                     StringRef kernel, Options options) {
  Expected<Signature> program = readSignature(text, fileName, kernel);
  if (!program)
    return program.takeError();
  std::unique_ptr<RowFunction> function(new RowFunction);
  function->program = std::move(*program);
  function->state->text = std::move(text);
  function->state->fileName = std::move(fileName);
  function->state->options = std::move(options);
  return function;
}

size_t RowFunction::countSpecializations() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->specializations.size();
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// Runs a call on tensors in the host's memory.
static Error simulate(Specialization &specialization, const ReadCall &call,
                      StringRef kernel) {
  std::call_once(specialization.parsing, [&] {
    Expected<sim::Module> module = sim::Module::parse(specialization.executable->ptx());
    if (module)
      specialization.simulated.emplace(std::move(*module));
    else
      specialization.simulatorFailure = toString(module.takeError());
  });
  if (!specialization.simulated)
    return createStringError(specialization.simulatorFailure);
  return sim::launchOnHost(*specialization.simulated, specialization.executable->metadata(),
                           kernel, call.arguments, call.rows);
}

Expected<const Executable *> RowFunction::executable(ArrayRef<CallArgument> arguments) const {
  ReadCall read;
  Expected<Specialization *> found = state->resolve(program, arguments, read);
  if (!found)
    return found.takeError();
  return (*found)->executable.get();
}

Expected<int64_t> RowFunction::workspaceBytes(ArrayRef<CallArgument> arguments) const {
  ReadCall read;
  Expected<Specialization *> found = state->resolve(program, arguments, read);
  if (!found)
    return found.takeError();
  return (*found)->executable->workspaceBytes(*(*found)->kernel, read.arguments, read.rows);
}

static Error launch(const Specialization &specialization, const ReadCall &read,
                    const Call &call) {
  LaunchOptions options;
  options.stream = call.stream;
  options.device = read.device;
  options.workspace = call.workspace;
  options.workspaceBytes = call.workspaceBytes;
  if (call.workspace == 0)
    return specialization.executable->launchWithOwnWorkspace(
        *specialization.kernel, read.arguments, read.rows, options);
  return specialization.executable->launch(*specialization.kernel, read.arguments,
                                           read.rows, options);
}

Error RowFunction::operator()(ArrayRef<CallArgument> arguments, const Call &call) const {
  ReadCall read;
  Expected<Specialization *> found = state->resolve(program, arguments, read);
  if (!found)
    return found.takeError();
  if (read.isOnHost)
    return simulate(**found, read, program.kernel);
  return launch(**found, read, call);
}

Expected<bool> RowFunction::tryCall(ArrayRef<CallArgument> arguments, Call call,
                                    function_ref<uint64_t(int64_t)> allocate) const {
  ReadCall read;
  if (Error error = readCall(program, arguments, read))
    return error;
  const Specialization *found = state->findCompiled(read.key);
  if (read.isOnHost || !found)
    return false;
  if (found->kernel->mayNeedWorkspace()) {
    Expected<int64_t> bytes =
        found->executable->workspaceBytes(*found->kernel, read.arguments, read.rows);
    if (!bytes)
      return bytes.takeError();
    call.workspaceBytes = *bytes;
    call.workspace = *bytes ? allocate(*bytes) : 0;
    if (*bytes && !call.workspace)
      return false;
  }
  if (Error error = launch(*found, read, call))
    return error;
  return true;
}
