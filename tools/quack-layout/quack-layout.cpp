//===- tools/quack-layout/quack-layout.cpp - draws layouts ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a layout attribute, or the layouts that the plan gives a kernel's
// operands, as a text grid and as SVG.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/InitAll.h"
#include "quack/Layout/LayoutDrawing.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Runtime/Storage.h"
#include "quack/Support/Columns.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace quack;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"quack-layout"};
  cl::opt<std::string> input{
      cl::Positional, cl::Required, cl::cat(category),
      cl::desc("<kernel file, or '#quack_tv.layout<...>'>")};
  cl::opt<std::string> tile{
      "tile", cl::cat(category),
      cl::desc("Of a layout: its rows and columns, as 2x256 (default: one row "
               "of as many columns as the layout has elements)")};
  cl::opt<std::string> element{
      "element", cl::cat(category),
      cl::desc("Of a layout: element type (f32, bf16, f16, f8E4M3FN, f8E5M2, "
               "i8, i32, i64)")};
  cl::opt<int64_t> columns{"columns", cl::init(0), cl::cat(category),
                           cl::desc("Of a kernel: N")};
  cl::opt<std::string> storage{"storage", cl::cat(category),
                               cl::desc("Of a kernel: storage types")};
  cl::opt<int64_t> groups{"groups", cl::init(0), cl::cat(category),
                          cl::desc("Of a kernel: columns of a group")};
  cl::opt<int64_t> picks{
      "picks", cl::init(0), cl::cat(category),
      cl::desc("Of a kernel: elements that are picked of a row")};
  cl::opt<std::string> pin{"pin", cl::cat(category),
                           cl::desc("Of a kernel: plan fields to pin")};
  cl::opt<std::string> target{"target", cl::init("h200"), cl::cat(category),
                              cl::desc("GPU to plan for (h100, h200)")};
  cl::opt<std::string> kernel{
      "kernel", cl::cat(category),
      cl::desc("Draw this kernel only, or this variant")};
  cl::opt<std::string> operand{"operand", cl::cat(category),
                               cl::desc("Of a kernel: draw this operand only")};
  cl::opt<std::string> svg{"svg", cl::cat(category), cl::value_desc("file"),
                           cl::desc("Write the picture here instead of text")};
  cl::opt<int64_t> accesses{"accesses", cl::init(8), cl::cat(category),
                            cl::desc("Vector accesses of a line (default 8)")};
  cl::opt<int64_t> lines{
      "lines", cl::init(4), cl::cat(category),
      cl::desc("Lines drawn of each row and CTA (default 4)")};
  cl::opt<int64_t> ctas{"ctas", cl::init(4), cl::cat(category),
                        cl::desc("CTAs drawn of each row (default 4)")};
  cl::opt<int64_t> rows{"rows", cl::init(4), cl::cat(category),
                        cl::desc("Rows drawn (default 4)")};
};

/// One picture to draw.
struct Picture {
  std::string kernel, operand; ///< empty for a layout alone
  std::string element;
  TVLayout layout;
  TileShape tile;
  int64_t elementBytes;

  /// Returns whether `other` is the same but for the kernel's name.
  bool isSameAs(const Picture &other) const {
    return operand == other.operand && element == other.element &&
           layout == other.layout && tile.rows == other.tile.rows &&
           tile.columns == other.tile.columns;
  }
};
} // namespace

static bool fail(const Twine &message) {
  llvm::errs() << "quack-layout: " << message << "\n";
  return false;
}

static bool readTile(const Options &options, const TVLayout &layout,
                     TileShape &tile) {
  if (!options.tile.empty()) {
    auto [rows, columns] = StringRef(options.tile).split('x');
    if (llvm::to_integer(rows, tile.rows) &&
        llvm::to_integer(columns, tile.columns) && tile.rows > 0 &&
        tile.columns > 0)
      return true;
    return fail("--tile must be ROWSxCOLUMNS, got '" + options.tile + "'");
  }
  tile = {1, 1};
  // A size that is none is refused by the layout's own rules.
  for (Level level : allLevels)
    for (Mode mode : layout.modes(level))
      if (!mode.isCopy() && mode.size > 0 &&
          llvm::MulOverflow(tile.columns, mode.size, tile.columns))
        return fail("the layout must have less than 2^63 elements");
  return true;
}

/// Checks that only options for what is drawn are given: a layout, or a kernel.
static bool checkOptions(const Options &options, bool isLayout) {
  const cl::Option *ofLayout[] = {&options.tile, &options.element};
  const cl::Option *ofKernel[] = {
      &options.columns, &options.storage, &options.groups, &options.picks,
      &options.pin,     &options.target,  &options.kernel, &options.operand};
  auto check = [](ArrayRef<const cl::Option *> list, StringRef kind,
                  StringRef given) {
    for (const cl::Option *option : list)
      if (option->getNumOccurrences())
        return fail("--" + option->ArgStr + " is for " + kind + ", got " + given);
    return true;
  };
  if (isLayout)
    return check(ofKernel, "a kernel", "a layout");
  if (options.columns.getNumOccurrences())
    if (std::string wrong = violatedColumns(options.columns); !wrong.empty())
      return fail("--columns " + wrong);
  return check(ofLayout, "a layout", "a kernel");
}

static bool readLayout(const Options &options, MLIRContext &context,
                       std::vector<Picture> &pictures) {
  // The place in a text of one line says little: the message does.
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    fail(diagnostic.str());
    return success();
  });
  Attribute parsed = parseAttribute(options.input, &context);
  if (!parsed)
    return false;
  auto attribute = dyn_cast<tv::LayoutAttr>(parsed);
  if (!attribute)
    return fail("expected '#quack_tv.layout<...>', got '" + options.input +
                "'");
  Picture picture{"", "", "", attribute.getValue(), {1, 1}, 0};
  if (!readTile(options, picture.layout, picture.tile))
    return false;
  if (!options.element.empty()) {
    std::optional<StorageType> type = parseStorageType(options.element);
    if (!type)
      return fail("--element must be f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 "
                  "or i64, got '" +
                  options.element + "'");
    picture.elementBytes = getSizeInBytes(*type);
  }
  if (std::optional<LayoutError> error = picture.layout.check(picture.tile))
    return fail("(" + error->rule + ") " + error->message);
  pictures.push_back(std::move(picture));
  return true;
}

/// Returns a picture for each operand that `kernel` reads or writes.
static std::vector<Picture> picturesOf(tv::KernelOp kernel) {
  std::vector<Picture> pictures;
  llvm::DenseSet<Value> seen;
  auto add = [&](Value operand, RankedTensorType tile) {
    tv::LayoutAttr layout = tv::getLayoutAttr(tile);
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!layout || !argument || !seen.insert(operand).second)
      return;
    Type element = tile.getElementType();
    pictures.push_back(
        {kernel.getSymName().str(),
         kernel.getOperandAttr(argument.getArgNumber()).getName().str(),
         llvm::formatv("{0}", element), layout.getValue(),
         tv::getTileShape(tile), element.getIntOrFloatBitWidth() / 8});
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tv::LoadOp>(op))
      add(load.getSource(), cast<RankedTensorType>(load.getType()));
    else if (auto stage = dyn_cast<tv::StageOp>(op))
      add(stage.getSource(), stage.getType().getTile());
    else if (auto store = dyn_cast<tv::StoreOp>(op))
      add(store.getTarget(),
          cast<RankedTensorType>(store.getValue().getType()));
  });
  return pictures;
}

/// Returns the pictures that the options name. Of a kernel, its variants and
/// later stages, what is the same is there once.
static std::vector<Picture> picturesOf(ModuleOp module,
                                       const Options &options) {
  llvm::EquivalenceClasses<StringRef> families;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>()) {
    families.insert(kernel.getSymName());
    for (std::optional<StringRef> other :
         {kernel.getOtherwise(), kernel.getNext()})
      if (other)
        families.unionSets(kernel.getSymName(), *other);
  }
  auto isNamed = [](StringRef option, StringRef name) {
    return option.empty() || option == name;
  };
  std::vector<Picture> pictures;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>())
    for (Picture &picture : picturesOf(kernel)) {
      bool isThere = llvm::any_of(pictures, [&](const Picture &other) {
        return families.isEquivalent(picture.kernel, other.kernel) &&
               picture.isSameAs(other);
      });
      if (!isThere && isNamed(options.kernel, picture.kernel) &&
          isNamed(options.operand, picture.operand))
        pictures.push_back(std::move(picture));
    }
  return pictures;
}

/// Returns why the options name no picture of `module`.
static std::string describeLack(ModuleOp module, const Options &options) {
  auto names = llvm::map_to_vector(
      module.getOps<tv::KernelOp>(),
      [](tv::KernelOp kernel) { return kernel.getSymName(); });
  if (names.empty())
    return "there is no kernel in '" + options.input + "'";
  if (!options.kernel.empty() && !llvm::is_contained(names, options.kernel))
    return "there is no kernel '" + options.kernel + "', only " +
           llvm::join(names, ", ");
  std::string operand = options.operand.empty()
                            ? "operand to draw"
                            : "operand '" + options.operand + "'";
  return options.kernel.empty()
             ? "no kernel has an " + operand
             : "kernel '" + options.kernel + "' has no " + operand;
}

static bool readKernel(const Options &options, MLIRContext &context,
                       std::vector<Picture> &pictures) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openProgram(options.input, &error);
  if (!file)
    return fail(error);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = readModule(sources, &context);
  if (!module)
    return false;
  PipelineOptions pipeline;
  pipeline.columns = options.columns.getValue();
  pipeline.storage = options.storage.getValue();
  pipeline.groups = options.groups.getValue();
  pipeline.picks = options.picks.getValue();
  pipeline.pin = options.pin.getValue();
  pipeline.target = options.target.getValue();
  PassManager pm(&context);
  buildPipeline(pm, pipeline, Stage::tv);
  if (failed(pm.run(*module)))
    return false;
  pictures = picturesOf(*module, options);
  return !pictures.empty() || fail(describeLack(*module, options));
}

/// Who holds an element is asked for each: what takes longer than seconds is refused.
static constexpr int64_t maxDrawnElements = 1 << 25;

static bool draw(const Options &options, ArrayRef<Picture> pictures) {
  if (options.accesses < 1 || options.lines < 2 || options.ctas < 2 ||
      options.rows < 2)
    return fail("--accesses must be at least 1, --lines, --ctas and --rows at "
                "least 2");
  if (!options.svg.empty() && pictures.size() > 1)
    return fail("an SVG holds one picture, got " + Twine(pictures.size()) +
                ": name one with --kernel and --operand");
  for (const Picture &picture : pictures) {
    if (picture.tile.elements() > maxDrawnElements)
      return fail("a layout that is drawn has at most " + Twine(maxDrawnElements) +
                  " elements, got " + Twine(picture.tile.elements()) +
                  ": draw one of fewer runs or rows");
    DrawingOptions drawing;
    drawing.elementBytes = picture.elementBytes;
    drawing.accessesPerLine = options.accesses;
    drawing.mostLines = options.lines;
    drawing.mostCtas = options.ctas;
    drawing.mostRows = options.rows;
    if (!options.svg.empty()) {
      std::string error;
      std::unique_ptr<llvm::ToolOutputFile> file =
          openOutputFile(options.svg, &error);
      if (!file)
        return fail(error);
      writeLayoutSVG(file->os(), picture.layout, picture.tile, drawing);
      file->keep();
      return true;
    }
    if (&picture != pictures.begin())
      llvm::outs() << "\n";
    if (!picture.kernel.empty())
      llvm::outs() << "@" << picture.kernel << ", %" << picture.operand << ": "
                   << picture.element << "\n";
    printLayout(llvm::outs(), picture.layout, picture.tile, drawing);
  }
  return true;
}

extern "C" int quackLayoutMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "quack layout viewer: who holds which element\n\n"
      "  quack-layout softmax.mlir --columns=8192 --storage=bf16 --operand=x\n"
      "  quack-layout '#quack_tv.layout<lane = [8:4, 4:32], value = [4:1, "
      "2:128, 2:256]>' --tile=2x256 --element=f32 --svg=layout.svg\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<tv::QuackTVDialect>();
  context.printOpOnDiagnostic(false);
  std::vector<Picture> pictures;
  bool isLayout = StringRef(options.input).starts_with("#");
  if (!checkOptions(options, isLayout))
    return 1;
  bool isRead = isLayout ? readLayout(options, context, pictures)
                         : readKernel(options, context, pictures);
  return isRead && draw(options, pictures) ? 0 : 1;
}
