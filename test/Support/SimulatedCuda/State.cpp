//===- SimulatedCuda/State.cpp - what the driver knows ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// Ends a test that asks for what there is not.
[[noreturn]] static void refuse(StringRef name, StringRef value,
                                StringRef expected) {
  errs() << "simulated CUDA: SIMULATED_CUDA_" << name << " must be " << expected
         << ", got '" << value << "'\n";
  std::abort();
}

static StringRef getSetting(const char *name) {
  const char *value =
      std::getenv((Twine("SIMULATED_CUDA_") + name).str().c_str());
  return value ? value : "";
}

template <typename T> static void readNumber(const char *name, T &number) {
  StringRef value = getSetting(name);
  if (!value.empty() && !to_integer(value, number))
    refuse(name, value, "a number");
}

/// Reads "cuMemAlloc=2" (each call), "cuMemAlloc@3=2" (the third), joined by
/// commas.
static std::vector<Settings::Failure> readFailures() {
  std::vector<Settings::Failure> failures;
  StringRef value = getSetting("FAIL");
  for (StringRef entry : split(value, ',')) {
    auto [call, result] = entry.split('=');
    auto [name, number] = call.split('@');
    Settings::Failure failure;
    failure.name = name.str();
    bool isRead = to_integer(result, failure.result) &&
                  (number.empty() || to_integer(number, failure.number));
    if (!entry.empty() && !isRead)
      refuse("FAIL", value, "CALL=CODE or CALL@NUMBER=CODE, joined by commas");
    if (!entry.empty())
      failures.push_back(std::move(failure));
  }
  return failures;
}

Settings Settings::fromEnvironment() {
  Settings settings;
  readNumber("VERSION", settings.version);
  readNumber("DEVICES", settings.devices);
  readNumber("CAPABILITY", settings.capability);
  readNumber("MEMORY", settings.memoryBytes);
  settings.cubinPath = getSetting("CUBIN").str();
  settings.failures = readFailures();
  constexpr StringLiteral modes[] = {"global", "thread_local", "relaxed"};
  if (StringRef mode = getSetting("CAPTURE"); !mode.empty()) {
    const StringLiteral *found = llvm::find(modes, mode);
    if (found == std::end(modes))
      refuse("CAPTURE", mode, "global, thread_local or relaxed");
    settings.capture = int(found - modes);
  }
  if (StringRef schedule = getSetting("SCHEDULE"); !schedule.empty()) {
    Expected<std::vector<sim::Options>> runs =
        sim::parseSchedules(schedule, sim::Options());
    if (!runs)
      refuse("SCHEDULE", schedule, toString(runs.takeError()));
    settings.runs = std::move(*runs);
  }
  if (StringRef path = getSetting("LOG"); !path.empty()) {
    settings.log = std::fopen(path.str().c_str(), "a");
    if (!settings.log)
      refuse("LOG", path, "a file that can be written");
  }
  return settings;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Never destroyed: threads may call while the process ends.
static State &state() {
  static State *state = new State;
  return *state;
}

ThreadState &simcuda::threadState() {
  static thread_local ThreadState state;
  return state;
}

void State::log(const std::string &line) {
  if (!settings.log)
    return;
  std::fprintf(settings.log, "%s\n", line.c_str());
  std::fflush(settings.log);
}

void State::forEachStream(function_ref<void(Stream &)> visit) {
  streams.forEach(visit);
  contexts.forEach([&](Context &context) { visit(context.perThread); });
}

void State::forEachCapture(function_ref<void(Capture &)> visit) {
  forEachStream([&](Stream &stream) {
    if (stream.capture && stream.capture->origin == &stream)
      visit(*stream.capture);
  });
}

void State::destroyContext(Context *context) {
  auto isOf = [=](const auto &object) { return object.context == context; };
  functions.destroyIf(
      [&](const Function &function) { return isOf(*function.module); });
  modules.destroyIf(isOf);
  streams.destroyIf(isOf);
  events.destroyIf(isOf);
  contexts.destroy(context);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool simcuda::refusesUnsafeCall(State &state, bool evenRelaxed) {
  CaptureMode own = threadState().captureMode;
  if (own == captureRelaxed && !evenRelaxed)
    return false;
  bool refuses = false;
  state.forEachCapture([&](Capture &capture) {
    bool isOwn = capture.thread == std::this_thread::get_id();
    bool counts = isOwn ? capture.mode != captureRelaxed || evenRelaxed
                        : capture.mode == captureGlobal && own == captureGlobal;
    capture.isValid &= !counts;
    refuses |= counts;
  });
  return refuses;
}

/// Returns why the call must not run; success if it may.
static Result findObstacle(Call &call, const char *name, unsigned needs) {
  State &state = call.state;
  unsigned number = ++state.calls[name];
  for (const Settings::Failure &failure : state.settings.failures)
    if (failure.name == name &&
        (failure.number == 0 || failure.number == number)) {
      call.text = " (as SIMULATED_CUDA_FAIL says)";
      return failure.result;
    }
  // A child that was forked has nothing of the driver's.
  if ((needs & needsInit) && state.initializedBy != getpid())
    return notInitialized;
  if (needs & needsContext & ~needsInit) {
    ThreadState &thread = threadState();
    if (thread.contexts.empty() || !thread.contexts.back())
      return invalidContext;
    call.context = state.contexts.find(thread.contexts.back());
    if (!call.context)
      return contextIsDestroyed;
    if (call.context->status != success)
      return call.context->status;
  }
  if ((needs & isUnsafe) && refusesUnsafeCall(state, /*evenRelaxed=*/false))
    return captureUnsupported;
  return success;
}

Result simcuda::call(const char *name, unsigned needs,
                     function_ref<Result(Call &)> body) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  Call call{state(), nullptr, ""};
  Result result = findObstacle(call, name, needs);
  if (result == success)
    result = body(call);
  const char *resultName = getErrorName(result);
  std::string context =
      call.context ? formatv(" context={0}", call.context->number).str() : "";
  state().log(formatv("{0}{1}{2} -> {3}", name, context, call.text,
                      resultName ? resultName : std::to_string(result))
                  .str());
  return result;
}
