//===- lib/Dialect/QuackTV/Attrs.cpp - layouts and plans --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly and rules of `#quack_tv.layout` and `#quack_tv.plan`.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/PlanNumbers.h"
#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;
using namespace quack::tv;

//===----------------------------------------------------------------------===//
// layout
//===----------------------------------------------------------------------===//

llvm::hash_code quack::hash_value(const TVLayout &layout) {
  llvm::hash_code hash(0);
  for (Level level : allLevels) {
    hash = llvm::hash_combine(hash, layout.modes(level).size());
    for (Mode mode : layout.modes(level))
      hash = llvm::hash_combine(hash, mode.size, mode.stride);
  }
  return hash;
}

/// Parses `<a, b, ...>`. MLIR's list in angle brackets succeeds where there is no `<`,
/// after an error.
static ParseResult parseAngleList(AsmParser &parser,
                                  function_ref<ParseResult()> parseOne) {
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  return failure(parser.parseCommaSeparatedList(parseOne) || parser.parseGreater());
}

static ParseResult parseModes(AsmParser &parser, Modes &modes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        Mode &mode = modes.emplace_back();
        return failure(parser.parseInteger(mode.size) || parser.parseColon() ||
                       parser.parseInteger(mode.stride));
      });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::array<Modes, allLevels.size()> levels;
  auto parseLevel = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    for (Level level : allLevels) {
      if (keyword != stringifyLevel(level))
        continue;
      Modes &modes = levels[static_cast<size_t>(level)];
      if (!modes.empty())
        return parser.emitError(loc, "level '") << keyword << "' is given twice";
      return failure(parser.parseEqual() || parseModes(parser, modes));
    }
    return parser.emitError(
               loc, "expected a level (slice, cta, warp, lane or value), "
                    "got '")
           << keyword << "'";
  };
  if (parseAngleList(parser, parseLevel))
    return Attribute();
  auto at = [&](Level level) { return levels[static_cast<size_t>(level)]; };
  return LayoutAttr::get(parser.getContext(),
                         TVLayout(at(Level::Cta), at(Level::Warp),
                                  at(Level::Lane), at(Level::Value),
                                  at(Level::Slice)));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getValue().str() << '>';
}

LogicalResult LayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  // L6
  if (shape.size() != 2 || ShapedType::isDynamicShape(shape))
    return emitError() << "a quack_tv.layout must encode a tensor of two static "
                          "dimensions, got "
                       << shape.size() << " dimensions"
                       << (ShapedType::isDynamicShape(shape) ? ", some dynamic"
                                                             : "");
  if (std::optional<LayoutError> error = getValue().check({shape[0], shape[1]}))
    return emitError() << "layout rule " << error->rule << ": "
                       << error->message;
  return success();
}

//===----------------------------------------------------------------------===//
// plan: syntax
//===----------------------------------------------------------------------===//

namespace {
/// The parsed fields, in the order of PlanAttr's parameters.
struct PlanFields {
  int64_t threads = 0, threadsPerRow = 0, rowsPerThread = 0, cluster = 0,
          vectorSize = 0, ctasPerSM = -1, kept = -1, split = 0, rows = 0,
          leastRows = 0, partials = 0;
  std::optional<Exchange> exchange;
  std::optional<Alignment> alignment;
  DictionaryAttr hold, load, store;
  std::optional<bool> reproducible, overlap;
  llvm::SmallDenseSet<StringRef> seen;

  int64_t *lookup(StringRef name) {
    return llvm::StringSwitch<int64_t *>(name)
        .Case("threads", &threads)
        .Case("threads_per_row", &threadsPerRow)
        .Case("rows_per_thread", &rowsPerThread)
        .Case("cluster", &cluster)
        .Case("vector", &vectorSize)
        .Case("ctas_per_sm", &ctasPerSM)
        .Case("kept", &kept)
        .Case("split", &split)
        .Case("rows", &rows)
        .Case("least_rows", &leastRows)
        .Case("partials", &partials)
        .Default(nullptr);
  }
};
} // namespace

/// Parses one of the keywords that `expected` lists.
template <typename Enum>
static ParseResult parseChoice(AsmParser &parser, std::optional<Enum> &value,
                               std::optional<Enum> (*symbolize)(StringRef),
                               StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseOptionalKeyword(&keyword))
    return parser.emitError(loc, "expected ") << expected;
  value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected ")
           << expected << ", got '" << keyword << "'";
  return success();
}

static std::optional<bool> symbolizeBool(StringRef keyword) {
  if (keyword != "true" && keyword != "false")
    return std::nullopt;
  return keyword == "true";
}

/// Parses `{x = packed, w = reload}` into a dictionary of enum attributes.
template <typename Enum, typename EnumAttr>
static ParseResult parsePerOperand(AsmParser &parser, DictionaryAttr &dict,
                                   std::optional<Enum> (*symbolize)(StringRef),
                                   StringRef expected) {
  NamedAttrList entries;
  auto parseEntry = [&]() -> ParseResult {
    std::string operand;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&operand) || parser.parseEqual())
      return failure();
    if (entries.get(operand))
      return parser.emitError(loc, "operand '") << operand << "' is given twice";
    std::optional<Enum> value;
    if (parseChoice(parser, value, symbolize, expected))
      return failure();
    entries.set(operand, EnumAttr::get(parser.getContext(), *value));
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry))
    return failure();
  if (entries.empty())
    return parser.emitError(loc, "expected an operand's name and ") << expected
                                                                    << ", got {}";
  dict = entries.getDictionary(parser.getContext());
  return success();
}

/// Checks a number by itself, whatever the other fields are.
static LogicalResult checkNumber(function_ref<InFlightDiagnostic()> error,
                                 StringRef name, int64_t value) {
  PlanNumber number = planNumber(name);
  // One without a table counts something: rows, of which there are some, or elements.
  bool isRows = name == "rows" || name == "least_rows";
  if (number.values.empty() && value < (isRows ? 1 : 0))
    return error() << "plan field '" << name << "' must "
                   << (isRows ? "be positive" : "not be negative") << ", got " << value;
  if (number.values.empty() || llvm::is_contained(number.values, value))
    return success();
  return error() << "plan field '" << name << "' must be " << number.rule << ", got "
                 << value << "; nearest legal: " << nearestOf(number.values, value);
}

static ParseResult parsePlanField(AsmParser &parser, PlanFields &fields) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  if (!fields.seen.insert(name).second)
    return parser.emitError(loc, "plan field '") << name << "' is given twice";
  if (int64_t *number = fields.lookup(name)) {
    loc = parser.getCurrentLocation();
    if (parser.parseInteger(*number))
      return failure();
    return checkNumber([&] { return parser.emitError(loc); }, name, *number);
  }
  if (name == "hold")
    return parsePerOperand<Hold, HoldAttr>(
        parser, fields.hold, symbolizeHold,
        "registers, packed, async, bulk or reload");
  if (name == "load")
    return parsePerOperand<LoadPolicy, LoadPolicyAttr>(
        parser, fields.load, symbolizeLoadPolicy,
        "cached, no_allocate, evict_first or evict_last");
  if (name == "store")
    return parsePerOperand<StorePolicy, StorePolicyAttr>(
        parser, fields.store, symbolizeStorePolicy,
        "write_back, streaming or skip_l1");
  if (name == "exchange")
    return parseChoice<Exchange>(parser, fields.exchange, symbolizeExchange,
                                 "warps or ctas");
  if (name == "alignment")
    return parseChoice<Alignment>(parser, fields.alignment, symbolizeAlignment,
                                  "vector or element");
  if (name == "reproducible")
    return parseChoice<bool>(parser, fields.reproducible, symbolizeBool,
                             "true or false");
  if (name == "overlap")
    return parseChoice<bool>(parser, fields.overlap, symbolizeBool,
                             "true or false");
  return parser.emitError(loc, "unknown plan field '")
         << name
         << "', expected threads, threads_per_row, rows_per_thread, cluster, "
            "split, vector, alignment, ctas_per_sm, exchange, hold, kept, "
            "load, "
            "store, rows, least_rows, partials, overlap or reproducible";
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  PlanFields f;
  SMLoc loc = parser.getCurrentLocation();
  if (parseAngleList(parser, [&] { return parsePlanField(parser, f); }))
    return Attribute();
  return PlanAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(), f.threads,
      f.threadsPerRow, f.rowsPerThread, f.cluster, f.vectorSize, f.alignment,
      f.ctasPerSM, f.exchange, f.hold, f.kept, f.load, f.store, f.split, f.rows,
      f.reproducible, f.leastRows, f.partials, f.overlap);
}

/// Prints one `{operand = value}` dictionary.
template <typename EnumAttr, typename Stringify>
static void printPerOperand(AsmPrinter &printer, DictionaryAttr dict,
                            Stringify stringify) {
  printer << '{';
  llvm::interleaveComma(dict, printer, [&](NamedAttribute entry) {
    printer.printKeywordOrString(entry.getName().getValue());
    printer << " = " << stringify(cast<EnumAttr>(entry.getValue()).getValue());
  });
  printer << '}';
}

void PlanAttr::print(AsmPrinter &printer) const {
  bool first = true;
  auto field = [&](StringRef name) -> AsmPrinter & {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
    return printer;
  };
  auto number = [&](StringRef name, int64_t value, int64_t unset = 0) {
    if (value != unset)
      field(name) << value;
  };
  printer << '<';
  number("threads", getThreads());
  number("threads_per_row", getThreadsPerRow());
  number("rows_per_thread", getRowsPerThread());
  number("cluster", getCluster());
  number("split", getSplit());
  number("vector", getVectorSize());
  if (getAlignment())
    field("alignment") << stringifyAlignment(*getAlignment());
  number("ctas_per_sm", getCtasPerSM(), -1);
  if (getExchange())
    field("exchange") << stringifyExchange(*getExchange());
  if (getHold())
    printPerOperand<HoldAttr>(field("hold"), getHold(), stringifyHold);
  number("kept", getKept(), -1);
  if (getLoad())
    printPerOperand<LoadPolicyAttr>(field("load"), getLoad(),
                                    stringifyLoadPolicy);
  if (getStore())
    printPerOperand<StorePolicyAttr>(field("store"), getStore(),
                                     stringifyStorePolicy);
  number("rows", getRowsHint());
  number("least_rows", getLeastRows());
  number("partials", getPartials());
  if (getOverlap())
    field("overlap") << (*getOverlap() ? "true" : "false");
  if (getReproducible())
    field("reproducible") << (*getReproducible() ? "true" : "false");
  printer << '>';
}

//===----------------------------------------------------------------------===//
// plan: rules and what follows from it
//===----------------------------------------------------------------------===//

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t threads, int64_t threadsPerRow,
                               int64_t rowsPerThread, int64_t cluster,
                               int64_t vectorSize, std::optional<Alignment>,
                               int64_t ctasPerSM, std::optional<Exchange>,
                               DictionaryAttr, int64_t kept, DictionaryAttr,
                               DictionaryAttr, int64_t split, int64_t rowsHint,
                               std::optional<bool> reproducible,
                               int64_t leastRows, int64_t partials,
                               std::optional<bool>) {
  std::tuple<StringRef, int64_t, int64_t> numbers[] = {
      {"threads", threads, 0},
      {"threads_per_row", threadsPerRow, 0},
      {"rows_per_thread", rowsPerThread, 0},
      {"cluster", cluster, 0},
      {"split", split, 0},
      {"vector", vectorSize, 0},
      {"ctas_per_sm", ctasPerSM, -1},
      {"kept", kept, -1},
      {"rows", rowsHint, 0},
      {"least_rows", leastRows, 0},
      {"partials", partials, 0}};
  for (auto [name, value, unset] : numbers)
    if (value != unset && failed(checkNumber(emitError, name, value)))
      return failure();
  if (split > 1 && reproducible == std::optional(true))
    return emitError() << "plan field 'split' must be 1 where 'reproducible' is "
                          "true, since it changes the order in which a row's "
                          "elements meet, got "
                       << split;
  if (!threads || !threadsPerRow || threads % threadsPerRow == 0)
    return success();
  auto divides = [&](int64_t value) { return threads % value == 0; };
  auto legal = llvm::to_vector(
      llvm::make_filter_range(planNumber("threads_per_row").values, divides));
  return emitError() << "plan field 'threads_per_row' must divide 'threads' ("
                     << threads << "), got " << threadsPerRow
                     << "; nearest legal: " << nearestOf(legal, threadsPerRow);
}

std::optional<Hold> PlanAttr::holdOf(StringRef name) const {
  auto attr = getHold() ? getHold().getAs<HoldAttr>(name) : HoldAttr();
  return attr ? std::optional(attr.getValue()) : std::nullopt;
}

std::optional<LoadPolicy> PlanAttr::loadPolicyOf(StringRef name) const {
  auto attr = getLoad() ? getLoad().getAs<LoadPolicyAttr>(name) : LoadPolicyAttr();
  return attr ? std::optional(attr.getValue()) : std::nullopt;
}

std::optional<StorePolicy> PlanAttr::storePolicyOf(StringRef name) const {
  auto attr =
      getStore() ? getStore().getAs<StorePolicyAttr>(name) : StorePolicyAttr();
  return attr ? std::optional(attr.getValue()) : std::nullopt;
}

PlanAttr PlanAttr::withHints(int64_t rows, std::optional<bool> reproducible) const {
  return get(getContext(), getThreads(), getThreadsPerRow(), getRowsPerThread(),
             getCluster(), getVectorSize(), getAlignment(), getCtasPerSM(),
             getExchange(), getHold(), getKept(), getLoad(), getStore(),
             getSplit(), rows, reproducible, getLeastRows(), getPartials(),
             getOverlap());
}

PlanAttr PlanAttr::withLeastRows(int64_t rows) const {
  return get(getContext(), getThreads(), getThreadsPerRow(), getRowsPerThread(),
             getCluster(), getVectorSize(), getAlignment(), getCtasPerSM(),
             getExchange(), getHold(), getKept(), getLoad(), getStore(),
             getSplit(), getRowsHint(), getReproducible(), rows, getPartials(),
             getOverlap());
}

PlanAttr PlanAttr::withPartials(int64_t count) const {
  return get(getContext(), getThreads(), getThreadsPerRow(), getRowsPerThread(),
             getCluster(), getVectorSize(), getAlignment(), getCtasPerSM(),
             getExchange(), getHold(), getKept(), getLoad(), getStore(),
             getSplit(), getRowsHint(), getReproducible(), getLeastRows(),
             count, getOverlap());
}

int64_t PlanAttr::getPaddedColumns(int64_t columns) const {
  return llvm::alignTo(columns,
                       getCtasPerRow() * getThreadsPerRow() * getVectorSize());
}

int64_t PlanAttr::getElementsPerThread(int64_t columns) const {
  return getPaddedColumns(columns) / getCtasPerRow() / getThreadsPerRow() *
         getRowsPerThread();
}

TVLayout PlanAttr::getLayout(int64_t columns) const {
  int64_t padded = getPaddedColumns(columns), v = getVectorSize();
  int64_t perSlice = padded / getSlices(), perCta = perSlice / getCluster();
  int64_t lanes = std::min(warpSize, getThreadsPerRow());
  int64_t warps = getThreadsPerRow() / lanes;
  int64_t rowsPerWarp = warpSize / lanes;
  int64_t rowWarps = getThreads() / warpSize / warps;
  auto add = [](Modes &modes, int64_t size, int64_t stride) {
    if (size > 1)
      modes.push_back({size, stride});
  };
  Modes slice, cta, warp, lane, value;
  add(value, v, 1);
  int64_t runs = perCta / (getThreadsPerRow() * v);
  add(value, runs, lanes * v);
  add(value, getRowsPerThread(), rowWarps * rowsPerWarp * padded);
  add(lane, lanes, v);
  add(lane, rowsPerWarp, padded);
  // A warp's runs lie side by side: where rows start anywhere, only the ends of
  // its columns cost an access more.
  add(warp, warps, runs * lanes * v);
  add(warp, rowWarps, rowsPerWarp * padded);
  add(cta, getCluster(), perCta);
  add(slice, getSlices(), perSlice);
  return TVLayout(cta, warp, lane, value, slice);
}
