//===- test/Fuzz/CompilerFuzzer.cpp - any text as a program -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles mutations of programs, all the way that each can go. Whatever the
// text and the options, the compiler gives PTX or an error with a place in the
// text; it neither ends by a signal nor takes for ever.
//
//   CompilerFuzzer --count=2000 lib/Kernels/*.mlir test/Dialect/Quack/*.mlir
//   CompilerFuzzer --first=1234 --count=1 --print ...     shows one again
//
//===----------------------------------------------------------------------===//

#include "MutateIR.h"

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;
using namespace quack;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"CompilerFuzzer"};
  cl::list<std::string> seeds{cl::Positional, cl::OneOrMore,
                              cl::desc("<programs>"), cl::cat(category)};
  cl::opt<uint64_t> first{"first", cl::init(0), cl::cat(category),
                          cl::desc("Number of the first mutation")};
  cl::opt<uint64_t> count{"count", cl::init(1000), cl::cat(category),
                          cl::desc("How many mutations")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print each of them")};
};

/// Watches what one compilation says.
struct Watch {
  unsigned errors = 0;
  std::string nowhere; ///< an error without a place
};
} // namespace

static volatile uint64_t current;

/// Names the mutation that ends the process.
static void onSignal(int number) {
  char text[96];
  int length = snprintf(text, sizeof(text), "\nmutation %llu: signal %d\n",
                        static_cast<unsigned long long>(current), number);
  std::ignore = write(STDERR_FILENO, text, length);
  _exit(1);
}

static void catchSignals() {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    sigaction(number, &action, nullptr);
}

/// Returns whether `loc` leads to a place in a text.
static bool hasPlace(Location loc) {
  return loc
      ->walk([](Location part) {
        return isa<FileLineColRange>(part) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

static void drawOptions(uint64_t number, PipelineOptions &options) {
  std::mt19937_64 random(~number);
  auto oneOf = [&](auto... values) {
    std::array<std::common_type_t<decltype(values)...>, sizeof...(values)> all{
        values...};
    return all[random() % all.size()];
  };
  bool isPlain = random() % 2;
  options.columns = oneOf(0, 0, 1, 7, 64, 257, 1000, 4096);
  if (isPlain)
    return;
  options.columns =
      oneOf(0l, 1l, 3l, 64l, 1000l, 65537l, 1048576l, -1l, 1l << 30, 1l << 40);
  options.storage =
      std::string(oneOf("", "bf16", "f16", "x:bf16", "y:f16,f32", "i8", "x:i4",
                        ",", ":", "x:", "x:bf16,x:f32"));
  options.pin = std::string(
      oneOf("", "", "threads = 96", "cluster = 2",
            "cluster = 16, threads_per_row = 32", "hold = {x = bulk}",
            "hold = {x = reload}", "alignment = element",
            "alignment = vector, vector = 1", "rows_per_thread = 8",
            "threads = 0", "vector = 16", "ctas_per_sm = 32", "hold = {}",
            "threads =", "<>", "]", "x"));
  options.target = std::string(oneOf("h200", "h100", "b200", ""));
}

static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   const std::string &text) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "mutation"), llvm::SMLoc());
  return readModule(sources, &context);
}

/// Compiles a program as far as it goes; returns whether that worked.
static bool compile(MLIRContext &context, const std::string &text,
                    uint64_t number) {
  OwningOpRef<ModuleOp> module = parse(context, text);
  if (!module)
    return false;
  PipelineOptions options;
  drawOptions(number, options);
  // Nearly always what fits: N is given once.
  auto kernels = module->getOps<KernelOp>();
  bool isGeneric = llvm::any_of(kernels, [](KernelOp kernel) {
    return ShapedType::isDynamic(kernel.getColumns());
  });
  if (number % 32 != 0 && isGeneric == (options.columns == 0))
    options.columns = isGeneric ? 128 : 0;
  if (module->getOps<tv::KernelOp>().empty())
    return succeeded(compileModule(*module, options, Stage::ptx));
  PassManager pm(&context);
  buildThreadPipeline(pm, Stage::llvm);
  return succeeded(pm.run(*module));
}

/// Returns whether mutation `number` is compiled or refused as it should be.
static bool check(const Options &options, fuzz::IRMutator &mutator,
                  const DialectRegistry &registry, uint64_t number,
                  unsigned &compiled) {
  std::string text = mutator.mutate(number);
  if (options.print)
    llvm::outs() << "// mutation " << number << "\n" << text << "\n";
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Watch watch;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (options.print)
      llvm::outs() << "// " << diagnostic.getLocation() << ": " << diagnostic
                   << "\n";
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    ++watch.errors;
    if (!hasPlace(diagnostic.getLocation()))
      watch.nowhere = diagnostic.str();
    return success();
  });
  alarm(30);
  bool isCompiled = compile(context, text, number);
  alarm(0);
  compiled += isCompiled;
  auto fail = [&](const llvm::Twine &what) {
    llvm::errs() << "mutation " << number << ": " << what << "\n";
    return false;
  };
  if (isCompiled && watch.errors)
    return fail("compiled, with errors");
  if (!isCompiled && !watch.errors)
    return fail("refused without an error");
  if (!watch.nowhere.empty())
    return fail("an error without a place: " + watch.nowhere);
  return true;
}

/// Adds the programs of a file to `seeds`.
static bool readSeeds(StringRef path, std::vector<std::string> &seeds) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    llvm::errs() << path << ": " << file.getError().message() << "\n";
    return false;
  }
  SmallVector<StringRef> programs;
  (*file)->getBuffer().split(programs, "// -----");
  for (StringRef program : programs)
    seeds.push_back(program.str());
  return true;
}

/// Puts programs first that have a kernel and no error, also in their generic
/// form, which no operation's own parser reads; returns their number.
static size_t sortSeeds(const DialectRegistry &registry,
                        std::vector<std::string> &seeds) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silence(&context,
                                  [](Diagnostic &) { return success(); });
  std::vector<std::string> good, others;
  for (std::string &text : seeds) {
    OwningOpRef<ModuleOp> module = parse(context, text);
    if (!module || (module->getOps<KernelOp>().empty() &&
                    module->getOps<tv::KernelOp>().empty())) {
      others.push_back(std::move(text));
      continue;
    }
    good.push_back(std::move(text));
    llvm::raw_string_ostream os(good.emplace_back());
    module->print(os, OpPrintingFlags().printGenericOpForm());
  }
  size_t count = good.size();
  seeds = std::move(good);
  llvm::append_range(seeds, others);
  return count;
}

int main(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "compiles mutations of programs\n");
  std::vector<std::string> seeds;
  for (StringRef path : options.seeds)
    if (!readSeeds(path, seeds))
      return 1;
  DialectRegistry registry;
  registerAllDialects(registry);
  size_t goodSeeds = sortSeeds(registry, seeds);
  fuzz::IRMutator mutator(seeds, goodSeeds);
  catchSignals();
  // A mutation must not take the machine with it.
  rlimit memory{rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_AS, &memory);
  unsigned compiled = 0, bad = 0;
  for (uint64_t i = 0; i < options.count; ++i) {
    current = options.first + i;
    bad += !check(options, mutator, registry, current, compiled);
  }
  llvm::outs() << options.count << " mutations: " << compiled << " compiled, "
               << options.count - compiled << " refused, " << bad << " badly\n";
  return bad != 0;
}
