//===- lib/JIT/Arguments.cpp - tensors as operands --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This runs at each call, so that what is right takes no text and no memory
// but the call's own.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace quack;
using namespace quack::jit;

/// What stands in a key for an operand that is not there, and for a value.
static constexpr int64_t isAbsent = -1, isNumber = -2;

//===----------------------------------------------------------------------===//
// For errors
//===----------------------------------------------------------------------===//

static std::string describeShape(const QuackTensor &tensor) {
  std::string text = "[";
  for (int32_t i = 0; i < tensor.dimensions; ++i)
    text += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return text + "]";
}

static std::string describeType(const QuackTensor &tensor) {
  return formatv("type code {0} of {1} bits, {2} lanes", int(tensor.type.code),
                 int(tensor.type.bits), int(tensor.type.lanes));
}

template <typename... Parts>
static Error wrong(const Operand &operand, const char *format, Parts &&...parts) {
  return createStringError("operand '" + operand.metadata.name + "': " +
                           formatv(format, std::forward<Parts>(parts)...).str());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Returns the element type; nothing for one that no operand has.
static std::optional<StorageType> typeOf(const QuackTensor &tensor) {
  if (tensor.type.lanes != 1)
    return std::nullopt;
  switch (tensor.type.code << 8 | tensor.type.bits) {
  case QUACK_TYPE_FLOAT << 8 | 32:
    return StorageType::f32;
  case QUACK_TYPE_FLOAT << 8 | 16:
    return StorageType::f16;
  case QUACK_TYPE_BFLOAT << 8 | 16:
    return StorageType::bf16;
  case QUACK_TYPE_FLOAT8_E4M3FN << 8 | 8:
    return StorageType::f8E4M3FN;
  case QUACK_TYPE_FLOAT8_E5M2 << 8 | 8:
    return StorageType::f8E5M2;
  case QUACK_TYPE_INT << 8 | 8:
    return StorageType::i8;
  case QUACK_TYPE_INT << 8 | 32:
    return StorageType::i32;
  case QUACK_TYPE_INT << 8 | 64:
    return StorageType::i64;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// Rows of an operand.
struct Rows {
  int64_t count = 1, stride = 0;
};
} // namespace

static int64_t strideOf(const QuackTensor &tensor, int32_t dimension) {
  if (tensor.strides)
    return tensor.strides[dimension];
  int64_t stride = 1;
  for (int32_t i = tensor.dimensions - 1; i > dimension; --i)
    stride *= tensor.shape[i];
  return stride;
}

/// Makes one dimension of the first `count`: each extent but the last must be that
/// much of the next one's stride. Returns false if no one stride spans them.
static bool collapse(const QuackTensor &tensor, int32_t count, Rows &rows) {
  bool isFirst = true;
  for (int32_t i = count - 1; i >= 0; --i) {
    int64_t extent = tensor.shape[i];
    if (extent == 1)
      continue;
    if (extent == 0) {
      rows = {0, 0};
      return true;
    }
    int64_t stride = strideOf(tensor, i);
    if (!isFirst && stride != rows.stride * rows.count)
      return false;
    if (isFirst)
      rows.stride = stride;
    rows.count *= extent;
    isFirst = false;
  }
  return true;
}

/// Reads the rows and the columns of an operand that has both.
static Error readRows(const Operand &operand, const QuackTensor &tensor, Rows &rows,
                      int64_t &columns) {
  if (tensor.dimensions < 1)
    return wrong(operand, "must have rows of columns, got a tensor without dimensions");
  int32_t last = tensor.dimensions - 1;
  columns = tensor.shape[last];
  if (columns < 1)
    return wrong(operand, "must have columns, got the shape {0}", describeShape(tensor));
  if (columns > 1 && strideOf(tensor, last) != 1)
    return wrong(operand,
                 "the columns of a row must lie side by side (stride 1), got stride {0}; "
                 "pass a contiguous copy",
                 strideOf(tensor, last));
  if (!collapse(tensor, last, rows))
    return wrong(operand,
                 "the leading dimensions of {0} must be spanned by one stride, which they "
                 "are not; pass a contiguous copy",
                 describeShape(tensor));
  if (operand.metadata.direction != "in" && rows.count > 1 &&
      std::abs(rows.stride) < columns)
    return wrong(operand, "its rows of {0} elements overlap: they are {1} apart", columns,
                 rows.stride);
  return Error::success();
}

static Error readScalars(const Operand &operand, const QuackTensor &tensor, Rows &rows) {
  if (!collapse(tensor, tensor.dimensions, rows))
    return wrong(operand,
                 "the dimensions of {0} must be spanned by one stride, which they are not; "
                 "pass a contiguous copy",
                 describeShape(tensor));
  if (operand.metadata.direction != "in" && rows.count > 1 && rows.stride == 0)
    return wrong(operand, "its elements overlap: its stride is 0");
  return Error::success();
}

/// Reads one element for all rows, or one for each column.
static Error readShared(const Operand &operand, const QuackTensor &tensor, bool isSingle,
                        int64_t &columns) {
  Rows elements;
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.dimensions; ++i)
    count *= tensor.shape[i];
  if (isSingle && count != 1)
    return wrong(operand, "must be one element, got the shape {0}", describeShape(tensor));
  if (!isSingle && (tensor.dimensions < 1 || tensor.shape[tensor.dimensions - 1] != count))
    return wrong(operand, "must be [columns], got the shape {0}", describeShape(tensor));
  if (!collapse(tensor, tensor.dimensions, elements) ||
      (elements.count > 1 && elements.stride != 1))
    return wrong(operand, "its elements must lie side by side; pass a contiguous copy");
  columns = count;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// What the operands read so far say of all.
class Reader {
public:
  Reader(const Signature &program, ReadCall &result) : program(program), result(result) {}

  Error read(ArrayRef<CallArgument> arguments);

private:
  Error readTensor(const Operand &operand, const QuackTensor &tensor);
  Error readDevice(const Operand &operand, const QuackTensor &tensor);
  Error agree(const Operand &operand, std::optional<int64_t> &known, int64_t got,
              const char *what, const Operand *&says);

  const Signature &program;
  ReadCall &result;
  std::optional<int64_t> rows, columns;
  const Operand *saysRows = nullptr, *saysColumns = nullptr, *saysDevice = nullptr;
};
} // namespace

Error Reader::agree(const Operand &operand, std::optional<int64_t> &known, int64_t got,
                    const char *what, const Operand *&says) {
  if (!known) {
    known = got;
    says = &operand;
  }
  if (*known == got)
    return Error::success();
  if (!says)
    return wrong(operand, "must have {0} {1}, as the program says, got {2}", *known, what,
                 got);
  return wrong(operand, "must have {0} {1}, as operand '{2}' has, got {3}", *known, what,
               says->metadata.name, got);
}

Error Reader::readDevice(const Operand &operand, const QuackTensor &tensor) {
  bool isOnHost = tensor.device.type == QUACK_DEVICE_CPU;
  if (!isOnHost && tensor.device.type != QUACK_DEVICE_CUDA &&
      tensor.device.type != QUACK_DEVICE_CUDA_MANAGED)
    return wrong(operand,
                 "must be in a GPU's memory (device type 2) or the host's (1), got type {0}",
                 tensor.device.type);
  int device = isOnHost ? -1 : tensor.device.id;
  if (!saysDevice) {
    saysDevice = &operand;
    result.isOnHost = isOnHost;
    result.device = device;
  }
  if (result.isOnHost == isOnHost && result.device == device)
    return Error::success();
  auto name = [](bool isOnHost, int device) {
    return isOnHost ? std::string("the host") : "GPU " + std::to_string(device);
  };
  return wrong(operand, "must be on {0}, as operand '{1}' is, got {2}",
               name(result.isOnHost, result.device), saysDevice->metadata.name,
               name(isOnHost, device));
}

Error Reader::readTensor(const Operand &operand, const QuackTensor &tensor) {
  const OperandMetadata &metadata = operand.metadata;
  std::optional<StorageType> type = typeOf(tensor);
  if (!type)
    return wrong(operand,
                 "must be of f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got {0}",
                 describeType(tensor));
  if (Error error = readDevice(operand, tensor))
    return error;
  Rows range;
  int64_t own = 0;
  Error error = Error::success();
  StringRef role = metadata.role;
  bool hasRows = role != "columns" && role != "single";
  if (role == "row" || metadata.hasOwnColumns())
    error = readRows(operand, tensor, range, own);
  else if (hasRows)
    error = readScalars(operand, tensor, range);
  else
    error = readShared(operand, tensor, role == "single", own);
  if (error)
    return error;
  if (role == "row" || role == "columns")
    if (Error error = agree(operand, columns, own, "columns", saysColumns))
      return error;
  if (hasRows)
    if (Error error = agree(operand, rows, range.count, "rows", saysRows))
      return error;
  uint64_t address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  if (address == 0 && range.count > 0)
    return wrong(operand, "its address is null");
  result.key.push_back(int64_t(*type));
  result.key.push_back(metadata.hasOwnColumns() ? own : 0);
  result.arguments.push_back({address, range.stride});
  return Error::success();
}

Error Reader::read(ArrayRef<CallArgument> arguments) {
  if (arguments.size() != program.operands.size())
    return createStringError(formatv("'{0}' takes {1} operands, got {2}", program.kernel,
                                     program.operands.size(), arguments.size()));
  columns = program.columns;
  result.key.push_back(0);
  for (auto [operand, argument] : zip_equal(program.operands, arguments)) {
    if (!argument.isGiven) {
      if (!operand.isOptional)
        return wrong(operand, "must be given: '{0}' cannot do without it", program.kernel);
      result.key.push_back(isAbsent);
      continue;
    }
    if (!operand.isValue()) {
      if (!argument.tensor)
        return wrong(operand, "must be a tensor, got a number");
      if (Error error = readTensor(operand, *argument.tensor))
        return error;
      continue;
    }
    if (argument.tensor)
      return wrong(operand, "must be a number, got a tensor");
    result.key.push_back(isNumber);
    bool isInteger = operand.metadata.type.front() == 'i';
    QuackArgument word = {static_cast<uint64_t>(argument.integer), 0};
    result.arguments.push_back(
        isInteger ? word : makeValueArgument(operand.metadata.type, argument.number));
  }
  if (!rows)
    return createStringError("'" + program.kernel +
                             "' needs an operand that says how many rows there are");
  result.rows = *rows;
  result.key.front() = columns.value_or(0);
  result.key.push_back(result.isOnHost);
  return Error::success();
}

Error quack::jit::readCall(const Signature &program, ArrayRef<CallArgument> arguments,
                           ReadCall &result) {
  return Reader(program, result).read(arguments);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Returns the columns of a group where `count` groups make `columns`, the last one perhaps
/// not full; 0 if no groups do. Where several widths do, a row is one group.
static int64_t widthOfGroups(int64_t columns, int64_t count) {
  constexpr int64_t least = 16, most = 1024; // the attribute's own, #quack.groups
  for (int64_t width = least; width <= most; width *= 2)
    if (llvm::divideCeil(uint64_t(columns), uint64_t(width)) == uint64_t(count))
      return width;
  return 0;
}

Expected<Options> quack::jit::optionsFor(const Signature &program, const Key &key) {
  Options options;
  const int64_t *entry = key.begin();
  int64_t columns = *entry++;
  if (columns && !program.columns)
    options["columns"] = std::to_string(columns);
  std::string storage;
  for (const Operand &operand : program.operands) {
    const OperandMetadata &metadata = operand.metadata;
    int64_t type = *entry++;
    if (type == isAbsent)
      continue;
    // Optional operands are there by being named.
    StringRef name = type == isNumber ? StringRef(metadata.type) : getName(StorageType(type));
    if (type != isNumber || operand.isOptional)
      storage += (storage.empty() ? "" : ",") + metadata.name + ":" + name.str();
    if (type == isNumber)
      continue;
    int64_t own = *entry++;
    if (metadata.role == "picks" && metadata.columns == 0)
      options["picks"] = std::to_string(own);
    if (metadata.role != "groups" || metadata.columns != 0)
      continue;
    int64_t width = widthOfGroups(columns, own);
    if (width == 0)
      return wrong(operand,
                   "must have as many columns as there are groups of 16, 32, ... or 1024 in "
                   "the {0} of a row, got {1}",
                   columns, own);
    options["groups"] = std::to_string(width);
  }
  options["storage"] = storage;
  return options;
}
