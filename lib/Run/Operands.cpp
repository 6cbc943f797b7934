//===- lib/Run/Operands.cpp - arrays on host and GPU ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, files, sentinels and guard regions. Large arrays travel in pieces.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Operands.h"

#include "quack/Runtime/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace quack;

static constexpr int64_t guardBytes = 4096;
static constexpr uint8_t guardByte = 0xA5;
static constexpr int64_t pieceBytes = 256 << 20;

/// A byte that makes every float of the sentinel a NaN.
static uint8_t sentinelByte(StorageType type) {
  return isFloat(type) ? 0xFF : 0x5A;
}

static Error operandError(const Operand &operand, const Twine &what) {
  return createStringError("operand '" + operand.metadata.name + "': " + what);
}

//===----------------------------------------------------------------------===//
// Host side
//===----------------------------------------------------------------------===//

void Operand::readInitial(int64_t begin, int64_t count, char *to) const {
  if (isBroadcast())
    for (int64_t row = 0; row < count; ++row)
      makeRandom(random, 0, columns, to + row * rowBytes());
  else if (file)
    std::memcpy(to, file->data() + begin * rowBytes(), count * rowBytes());
  else
    makeRandom(random, begin * columns, count * columns, to);
}

std::vector<LaunchArgument> Operands::arguments() const {
  std::vector<LaunchArgument> arguments;
  for (const Operand &operand : list)
    arguments.push_back({operand.address, operand.abiStride(), operand.scalar});
  return arguments;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, extent] : enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + ")";
}

/// Reads an operand's file; what it says of M goes to `rows`.
static Error loadFile(Operand &operand, StringRef path, int64_t columns,
                      std::optional<int64_t> &rows) {
  Expected<NpyArray> array = readNpy(path);
  if (!array)
    return array.takeError();
  StringRef role = operand.metadata.role;
  int64_t last = array->shape.empty() ? 1 : array->shape.back();
  auto refuse = [&](const Twine &expected) {
    return operandError(operand, "'" + path + "' must have " + expected +
                                     ", got the shape " + shapeText(array->shape));
  };
  bool isWide = role == "row" || operand.metadata.hasOwnColumns();
  if (isWide && (last != columns || array->shape.empty()))
    return refuse("rows of " + Twine(columns) + " columns");
  if (role == "columns" && (last != columns || array->size() != columns))
    return refuse(Twine(columns) + " columns in one row");
  if (role == "single" && array->size() != 1)
    return refuse("one number");
  if (role == "scalar" && array->shape.size() > 1 && last != 1)
    return refuse("one number for each row");
  if (!operand.isShared()) {
    int64_t found = isWide ? array->size() / columns : array->size();
    if (rows && *rows != found)
      return operandError(operand, "'" + path + "' has " + Twine(found) +
                                       " rows where " + Twine(*rows) +
                                       " are expected");
    rows = found;
  }
  Expected<std::vector<char>> elements = convertElements(*array, operand.type);
  if (!elements)
    return operandError(operand,
                        "'" + path + "': " + toString(elements.takeError()));
  operand.file = std::move(*elements);
  return Error::success();
}

/// Checks that each name in `map` is an operand for which `fits` holds.
template <typename Map, typename Fn>
static Error checkNames(StringRef option, const Map &map,
                        const std::vector<Operand> &operands,
                        StringRef expected, Fn fits) {
  for (const auto &entry : map) {
    auto found = find_if(operands, [&](const Operand &operand) {
      return operand.metadata.name == entry.first;
    });
    if (found != operands.end() && fits(*found))
      continue;
    std::string names;
    for (const Operand &operand : operands)
      if (fits(operand))
        names += (names.empty() ? ": " : ", ") + operand.metadata.name;
    return createStringError("--" + option + " " + entry.first + ": must name " +
                             expected + " of the kernel" +
                             (names.empty() ? ", which has none" : names));
  }
  return Error::success();
}

static Error checkAllNames(const Job &job,
                           const std::vector<Operand> &operands) {
  if (Error error = checkNames(
          "in", job.inputFiles, operands, "an in array",
          [](const Operand &o) { return o.isRead() && !o.isValue(); }))
    return error;
  if (Error error = checkNames("out", job.outputFiles, operands, "an out array",
                               [](const Operand &o) { return o.isWritten(); }))
    return error;
  if (Error error =
          checkNames("scalar", job.scalars, operands, "a value operand",
                     [](const Operand &o) { return o.isValue(); }))
    return error;
  if (Error error = checkNames("offset", job.offsets, operands, "an array",
                               [](const Operand &o) { return !o.isValue(); }))
    return error;
  if (Error error = checkNames(
          "in-place", job.inPlace, operands, "an out row", [](const Operand &o) {
            return o.metadata.direction == "out" && o.metadata.role == "row";
          }))
    return error;
  return checkNames(
      "row-stride", job.rowStrides, operands, "a row, scalar or groups array",
      [](const Operand &o) { return !o.isValue() && !o.isShared(); });
}

/// Checks that a number is one of the operand's type. A float is rounded; a finite one
/// must not become infinite by that.
static Error checkScalar(const Operand &operand, double number) {
  double kept = 0;
  uint64_t word = 0;
  narrow(operand.type, &number, &word, 1);
  widen(operand.type, &word, &kept, 1);
  bool isKept = isFloat(operand.type)
                    ? std::isinf(kept) == std::isinf(number)
                    : kept == number;
  if (isKept)
    return Error::success();
  std::string text;
  raw_string_ostream(text) << format("%.17g", number);
  return operandError(operand, "--scalar must be a number of type " +
                                   getName(operand.type) + ", got " + text);
}

/// Fills in what the kernel and the job say of one operand, but for M.
static Error describeOperand(const Job &job, const KernelMetadata &kernel,
                             Operand &operand) {
  StringRef name = operand.metadata.name, role = operand.metadata.role;
  std::optional<StorageType> type = parseStorageType(operand.metadata.type);
  if (!type)
    return operandError(operand,
                        "has the unknown type " + operand.metadata.type);
  operand.type = *type;
  if (operand.isValue()) {
    auto given = job.scalars.find(name.str());
    if (given == job.scalars.end())
      return operandError(operand, "needs a number: --scalar " + name + "=...");
    operand.scalar = given->second;
    return checkScalar(operand, operand.scalar);
  }
  operand.columns = role == "scalar" || role == "single" ? 1
                    : operand.metadata.hasOwnColumns()
                        ? operand.metadata.columns
                        : kernel.columns;
  operand.rowStride = operand.columns;
  auto stride = job.rowStrides.find(name.str());
  if (stride != job.rowStrides.end())
    operand.rowStride = stride->second;
  bool sharesRows = operand.isBroadcast() && !operand.isWritten() &&
                    !job.inputFiles.count(name.str());
  if (operand.rowStride < operand.columns && !sharesRows)
    return operandError(operand, "the row stride must be at least " +
                                     Twine(operand.columns) +
                                     ", or 0 for an input from a seed, got " +
                                     Twine(operand.rowStride));
  auto offset = job.offsets.find(name.str());
  if (offset != job.offsets.end())
    operand.offset = offset->second;
  if (operand.offset < 0)
    return operandError(operand, "the offset must not be negative, got " +
                                     Twine(operand.offset));
  // Until it is placed: what an aligned buffer would give.
  operand.address = operand.offsetBytes();
  operand.random = {operand.type, mixSeed(job.seed, name), kernel.columns};
  return Error::success();
}

/// Notes which in rows lie in the memory of out rows, and checks that these are
/// alike.
static Error pairInPlace(const Job &job, std::vector<Operand> &operands) {
  auto find = [&](StringRef name) {
    return llvm::find_if(operands,
                         [&](const Operand &o) { return o.metadata.name == name; });
  };
  for (const auto &[outName, inName] : job.inPlace) {
    auto out = find(outName), in = find(inName);
    if (in == operands.end() || in->metadata.direction != "in" ||
        in->metadata.role != "row")
      return createStringError("--in-place " + outName +
                               " must take the memory of an in row, got '" + inName +
                               "'");
    if (in->type != out->type || in->rowStride != out->rowStride ||
        in->offset != out->offset)
      return createStringError(
          "--in-place " + outName + "=" + inName +
          " needs operands of the same type, row stride and offset, got " +
          getName(out->type) + ", " + Twine(out->rowStride) + ", " +
          Twine(out->offset) + " and " + getName(in->type) + ", " +
          Twine(in->rowStride) + ", " + Twine(in->offset));
    if (in->overwrittenBy)
      return createStringError("--in-place gives the memory of '" + inName +
                               "' to two operands");
    in->overwrittenBy = &*out;
  }
  return Error::success();
}

Expected<Operands> quack::loadOperands(const Job &job,
                                       const KernelMetadata &kernel) {
  Operands operands;
  operands.rows = job.rows;
  for (const OperandMetadata &metadata : kernel.operands)
    operands.list.emplace_back().metadata = metadata;
  if (Error error = checkAllNames(job, operands.list))
    return error;
  for (const auto &[name, path] : job.outputFiles)
    if (Error error = checkWritable(path))
      return joinErrors(createStringError("--out " + name + " cannot be written"),
                        std::move(error));
  for (Operand &operand : operands.list) {
    if (Error error = describeOperand(job, kernel, operand))
      return error;
    auto file = job.inputFiles.find(operand.metadata.name);
    if (file == job.inputFiles.end())
      continue;
    if (Error error =
            loadFile(operand, file->second, operand.columns, operands.rows))
      return error;
  }
  for (Operand &operand : operands.list) {
    if (operand.isValue())
      continue;
    if (!operand.isShared())
      operand.rows = operands.rows.value_or(0);
    if (Error error = checkExtent(operand.rows,
                                  std::max(operand.rowStride, operand.columns),
                                  operand.offset, operand.elementBytes()))
      return operandError(operand, toString(std::move(error)));
  }
  if (Error error = pairInPlace(job, operands.list))
    return error;
  return operands;
}

Traffic quack::countTraffic(const Operands &operands) {
  Traffic traffic;
  for (const Operand &operand : operands.list) {
    if (operand.isValue())
      continue;
    int64_t bytes = operand.rows * operand.rowBytes();
    traffic.read += operand.isRead() ? bytes : 0;
    traffic.written += operand.isWritten() ? bytes : 0;
  }
  return traffic;
}

//===----------------------------------------------------------------------===//
// To the GPU
//===----------------------------------------------------------------------===//

/// Returns how many of an operand's rows travel in one piece.
static int64_t rowsPerPiece(const Operand &operand) {
  return std::max<int64_t>(1, pieceBytes / operand.strideBytes());
}

/// Copies the initial values to `operand.address`, gaps filled with sentinels.
static Error copyInitial(const cuda::Context &context, const Operand &operand) {
  int64_t strideBytes = operand.strideBytes(), rowBytes = operand.rowBytes();
  char sentinel = static_cast<char>(sentinelByte(operand.type));
  if (operand.hasGaps())
    if (Error error = context.fill(operand.address, sentinelByte(operand.type),
                                   operand.spanBytes()))
      return error;
  std::vector<char> packed, strided;
  for (int64_t begin = 0; begin < operand.storedRows();) {
    int64_t count = std::min(rowsPerPiece(operand), operand.storedRows() - begin);
    packed.resize(count * rowBytes);
    operand.readInitial(begin, count, packed.data());
    if (operand.hasGaps()) {
      strided.assign((count - 1) * strideBytes + rowBytes, sentinel);
      for (int64_t row = 0; row < count; ++row)
        std::memcpy(strided.data() + row * strideBytes,
                    packed.data() + row * rowBytes, rowBytes);
    }
    const std::vector<char> &from = operand.hasGaps() ? strided : packed;
    if (Error error = context.copyToDevice(operand.address + begin * strideBytes,
                                           from.data(), from.size()))
      return error;
    begin += count;
  }
  return Error::success();
}

/// Points `operand` to random elements that the session keeps.
static Error shareRandom(Session &session, Operand &operand) {
  cuda::Buffer &buffer =
      session.randomInputs[{operand.type, operand.random.seed}];
  if (buffer.size() < operand.spanBytes()) {
    buffer = cuda::Buffer();
    Expected<cuda::Buffer> larger =
        session.context->allocate(operand.spanBytes());
    if (!larger)
      return larger.takeError();
    buffer = std::move(*larger);
    operand.address = buffer.address();
    return copyInitial(*session.context, operand);
  }
  operand.address = buffer.address();
  return Error::success();
}

/// Allocates an output between guards and fills it with sentinels.
static Error placeOutput(const cuda::Context &context, Operand &operand) {
  int64_t span = operand.spanBytes();
  int64_t before = guardBytes + operand.offsetBytes();
  Expected<cuda::Buffer> buffer = context.allocate(before + span + guardBytes);
  if (!buffer)
    return buffer.takeError();
  operand.buffer = std::move(*buffer);
  operand.address = operand.buffer.address() + before;
  if (Error error = context.fill(operand.buffer.address(), guardByte, before))
    return error;
  if (Error error = context.fill(operand.address + span, guardByte, guardBytes))
    return error;
  if (Error error =
          context.fill(operand.address, sentinelByte(operand.type), span))
    return error;
  return operand.isRead() ? copyInitial(context, operand) : Error::success();
}

static Error placeInput(Session &session, Operand &operand) {
  bool hangsOnShape = operand.rowStride != operand.columns || operand.file ||
                      operand.offset != 0 ||
                      operand.type == StorageType::i32 ||
                      operand.type == StorageType::i64;
  if (!hangsOnShape)
    return shareRandom(session, operand);
  Expected<cuda::Buffer> buffer =
      session.context->allocate(operand.offsetBytes() + operand.spanBytes());
  if (!buffer)
    return buffer.takeError();
  operand.buffer = std::move(*buffer);
  operand.address = operand.buffer.address() + operand.offsetBytes();
  return copyInitial(*session.context, operand);
}

Error quack::placeOperands(Session &session, Operands &operands) {
  auto place = [&](Operand &operand,
                   llvm::function_ref<Error(Operand &)> by) -> Error {
    if (Error error = by(operand))
      return joinErrors(operandError(operand, "cannot be placed on the GPU"),
                        std::move(error));
    return Error::success();
  };
  for (Operand &operand : operands.list) {
    if (operand.isValue() || operand.overwrittenBy)
      continue;
    if (Error error = place(operand, [&](Operand &operand) {
          return operand.isWritten() ? placeOutput(*session.context, operand)
                                     : placeInput(session, operand);
        }))
      return error;
  }
  for (Operand &operand : operands.list) {
    if (!operand.overwrittenBy)
      continue;
    operand.address = operand.overwrittenBy->address;
    if (Error error = place(operand, [&](Operand &operand) {
          return copyInitial(*session.context, operand);
        }))
      return error;
  }
  return Error::success();
}

Error quack::placeCopies(Session &session, const Operands &from, Operands &to) {
  const cuda::Context &context = *session.context;
  for (auto [source, operand] : zip_equal(from.list, to.list)) {
    if (operand.isValue())
      continue;
    if (operand.isWritten()) {
      if (Error error = placeOutput(context, operand))
        return error;
      continue;
    }
    Expected<cuda::Buffer> buffer =
        context.allocate(operand.offsetBytes() + operand.spanBytes());
    if (!buffer)
      return buffer.takeError();
    operand.buffer = std::move(*buffer);
    operand.address = operand.buffer.address() + operand.offsetBytes();
    if (Error error = context.copyOnDevice(operand.address, source.address,
                                           operand.spanBytes()))
      return error;
  }
  return Error::success();
}

Error quack::poisonOutputs(const cuda::Context &context,
                           const Operands &operands) {
  for (const Operand &operand : operands.list)
    if (operand.isWritten() && !operand.isRead())
      if (Error error =
              context.fill(operand.address, sentinelByte(operand.type),
                           operand.spanBytes()))
        return error;
  return Error::success();
}

Error quack::placeWorkspace(Session &session, const KernelMetadata &kernel,
                            Operands &operands) {
  const cuda::Context &context = *session.context;
  Expected<int64_t> bytes =
      getWorkspaceBytes(kernel, operands.rows.value_or(0));
  if (!bytes)
    return bytes.takeError();
  if (*bytes == 0)
    return Error::success();
  Expected<cuda::Buffer> buffer = context.allocate(*bytes + 2 * guardBytes);
  if (!buffer)
    return buffer.takeError();
  operands.workspaceBuffer = std::move(*buffer);
  operands.workspace = operands.workspaceBuffer.address() + guardBytes;
  operands.workspaceBytes = *bytes;
  for (cuda::DevicePointer guard :
       {operands.workspace - guardBytes, operands.workspace + *bytes})
    if (Error error = context.fill(guard, guardByte, guardBytes))
      return error;
  if (session.isSimulated)
    return Error::success();
  return context.fill(operands.workspace, sentinelByte(StorageType::f32),
                      *bytes);
}

//===----------------------------------------------------------------------===//
// And back
//===----------------------------------------------------------------------===//

/// Adds to `changes` the bytes of the gap after `row` that are no sentinels. A gap may
/// be long.
static Error countGapChanges(const cuda::Context &context, const Operand &operand,
                             int64_t row, int64_t &changes) {
  cuda::DevicePointer from =
      operand.address + row * operand.strideBytes() + operand.rowBytes();
  std::vector<char> piece;
  for (int64_t left = operand.gapBytesAfter(row); left > 0;) {
    piece.resize(std::min(left, pieceBytes));
    if (Error error = context.copyToHost(piece.data(), from, piece.size()))
      return error;
    changes += piece.size() - count(piece, char(sentinelByte(operand.type)));
    from += piece.size();
    left -= piece.size();
  }
  return Error::success();
}

Error quack::fetchRows(const cuda::Context &context, const Operand &operand,
                       int64_t begin, int64_t count, std::vector<char> &packed,
                       int64_t &gapChanges) {
  int64_t strideBytes = operand.strideBytes(), rowBytes = operand.rowBytes();
  auto sentinel = static_cast<char>(sentinelByte(operand.type));
  packed.resize(count * rowBytes);
  std::vector<char> strided;
  char *to = packed.data();
  for (int64_t end = begin + count; begin < end;) {
    int64_t rows = std::min(rowsPerPiece(operand), end - begin);
    strided.resize((rows - 1) * strideBytes + rowBytes);
    if (Error error = context.copyToHost(
            strided.data(), operand.address + begin * strideBytes, strided.size()))
      return error;
    for (int64_t row = 0; row < rows; ++row, to += rowBytes) {
      auto from = strided.begin() + row * strideBytes;
      std::copy_n(from, rowBytes, to);
      if (row + 1 < rows)
        gapChanges += (strideBytes - rowBytes) -
                      std::count(from + rowBytes, from + strideBytes, sentinel);
    }
    begin += rows;
    if (Error error = countGapChanges(context, operand, begin - 1, gapChanges))
      return error;
  }
  return Error::success();
}

Expected<std::string> quack::findGuardChanges(const cuda::Context &context,
                                              const Operands &operands) {
  std::string text;
  std::vector<char> guard(guardBytes);
  auto look = [&](cuda::DevicePointer begin, int64_t bytes,
                  const std::string &what) -> Error {
    const std::pair<cuda::DevicePointer, const char *> guards[] = {
        {begin - guardBytes, "before"}, {begin + bytes, "after"}};
    for (auto [address, where] : guards) {
      if (Error error = context.copyToHost(guard.data(), address, guardBytes))
        return error;
      auto changed = guardBytes - count(guard, static_cast<char>(guardByte));
      if (changed != 0)
        text += (text.empty() ? "" : "; ") + std::to_string(changed) +
                " bytes written " + where + " " + what;
    }
    return Error::success();
  };
  for (const Operand &operand : operands.list)
    if (operand.isWritten())
      if (Error error = look(operand.address, operand.spanBytes(),
                             "operand '" + operand.metadata.name + "'"))
        return error;
  if (operands.workspaceBytes)
    if (Error error =
            look(operands.workspace, operands.workspaceBytes, "the workspace"))
      return error;
  return text;
}

Error quack::writeOutputs(const cuda::Context &context, const Job &job,
                          const Operands &operands) {
  for (const Operand &operand : operands.list) {
    auto file = job.outputFiles.find(operand.metadata.name);
    if (file == job.outputFiles.end())
      continue;
    std::vector<char> packed;
    int64_t gapChanges = 0;
    if (Error error =
            fetchRows(context, operand, 0, operand.rows, packed, gapChanges))
      return error;
    std::vector<int64_t> shape;
    if (!operand.isShared())
      shape.push_back(operand.rows);
    if (operand.metadata.role == "row" || operand.metadata.hasOwnColumns() ||
        operand.isShared())
      shape.push_back(operand.columns);
    if (Error error = writeNpy(file->second, operand.type, shape, packed))
      return error;
  }
  return Error::success();
}
