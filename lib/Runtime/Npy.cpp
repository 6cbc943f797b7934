//===- Npy.cpp - numpy's array files ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a .npy file is a Python dictionary; it is taken apart by hand,
// accepting what numpy writes and naming what it does not understand.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack;

static constexpr StringLiteral magic = "\x93NUMPY";

int64_t NpyArray::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

static Error fileError(StringRef path, const Twine &what) {
  return createStringError(Twine("'") + path + "': " + what);
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {
/// The dictionary at the start of a file, still as text.
struct Header {
  StringRef descr, order, shape;
  StringRef data; ///< what follows it
};
} // namespace

/// Returns the text of `key`'s value in a dictionary such as
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
static StringRef valueOf(StringRef dictionary, StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return {};
  rest = rest.ltrim();
  if (rest.starts_with("'"))
    return rest.substr(1, rest.find('\'', 1) - 1);
  if (rest.starts_with("("))
    return rest.substr(1, rest.find(')') - 1);
  return rest.take_until([](char c) { return c == ',' || c == '}'; }).trim();
}

static Expected<Header> readHeader(StringRef path, StringRef file) {
  if (!file.starts_with(magic) || file.size() < 10)
    return fileError(path,
                     "not a .npy file: it does not start with \\x93NUMPY");
  unsigned major = static_cast<unsigned char>(file[6]);
  if (major != 1 && major != 2)
    return fileError(path, "has .npy format version " + Twine(major) +
                               "; versions 1 and 2 can be read");
  size_t start = major == 1 ? 10 : 12;
  if (file.size() < start)
    return fileError(path, "ends within its header");
  size_t length = major == 1 ? support::endian::read16le(file.data() + 8)
                             : support::endian::read32le(file.data() + 8);
  if (file.size() - start < length)
    return fileError(path, "ends within its header");
  StringRef dictionary = file.substr(start, length);
  Header header{valueOf(dictionary, "descr"),
                valueOf(dictionary, "fortran_order"),
                valueOf(dictionary, "shape"), file.drop_front(start + length)};
  if (header.descr.empty() || header.order.empty() ||
      !dictionary.contains("'shape'"))
    return fileError(path,
                     "has a header without descr, fortran_order or shape");
  return header;
}

static Expected<std::vector<int64_t>> parseShape(StringRef path,
                                                 StringRef text) {
  std::vector<int64_t> shape;
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  int64_t count = 1;
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0 ||
        MulOverflow(count, extent, count))
      return fileError(path, "has the shape (" + text +
                                 "); its extents must be numbers from 0 with a "
                                 "product below 2^63");
    shape.push_back(extent);
  }
  return shape;
}

/// Whether an array holds patterns of floats of 8 bits. ml_dtypes has dtypes
/// for them, whose name a file does not keep.
static bool isPatternOfByte(StringRef descr) {
  return descr == "|u1" || descr == "<u1" || descr == "|V1" || descr == "<f1";
}

/// Returns the type of a dtype text; `isDouble` for float64, which is read
/// only.
static std::optional<StorageType> parseDescr(StringRef descr, bool &isDouble) {
  isDouble = descr == "<f8";
  if (isDouble || descr == "<f4")
    return StorageType::f32;
  if (descr == "<f2")
    return StorageType::f16;
  if (descr == "<u2")
    return StorageType::bf16;
  if (isPatternOfByte(descr))
    return StorageType::f8E4M3FN;
  if (descr == "|i1" || descr == "<i1")
    return StorageType::i8;
  if (descr == "<i4")
    return StorageType::i32;
  if (descr == "<i8")
    return StorageType::i64;
  return std::nullopt;
}

static StringRef descrOf(StorageType type) {
  switch (type) {
  case StorageType::f32:
    return "<f4";
  case StorageType::f16:
    return "<f2";
  case StorageType::bf16:
    return "<u2";
  case StorageType::f8E4M3FN:
  case StorageType::f8E5M2:
    return "|u1";
  case StorageType::i8:
    return "|i1";
  case StorageType::i32:
    return "<i4";
  case StorageType::i64:
    return "<i8";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Copies the elements out of a file, rounding float64 to f32.
static void copyElements(StringRef from, bool isDouble, NpyArray &array) {
  if (!isDouble) {
    array.data.assign(from.begin(), from.end());
    return;
  }
  array.data.resize(from.size() / 2);
  for (int64_t i = 0, n = array.size(); i < n; ++i) {
    double wide;
    std::memcpy(&wide, from.data() + i * sizeof(double), sizeof(double));
    auto narrow = static_cast<float>(wide);
    std::memcpy(array.data.data() + i * sizeof(float), &narrow, sizeof(float));
  }
}

/// Returns what to do about a dtype that is not one of those that can be read.
static std::string adviceOnDescr(StringRef descr) {
  if (descr.starts_with(">"))
    return "; it is big-endian: save x.astype('<" + descr.drop_front().str() + "')";
  return "; save x.astype(numpy.float32), or another of them";
}

/// Reads the header, which refers to the file's text in `buffer`.
static Expected<Header> openFile(StringRef path,
                                 std::unique_ptr<MemoryBuffer> &buffer) {
  // A device or a pipe may have no end.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return createStringError("'" + path + "' is no regular file");
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return fileError(path, file.getError().message());
  buffer = std::move(*file);
  Expected<Header> header = readHeader(path, buffer->getBuffer());
  if (header && header->order != "False")
    return fileError(path,
                     "is in Fortran order; save numpy.ascontiguousarray(x)");
  return header;
}

/// Checks that the file holds `count` elements of `bytes` bytes.
static Error checkSize(StringRef path, const Header &header, int64_t count,
                       int64_t bytes) {
  int64_t expected;
  if (MulOverflow(count, bytes, expected) ||
      static_cast<int64_t>(header.data.size()) != expected)
    return fileError(path, "must hold " + Twine(count) + " elements of " +
                               Twine(bytes) + " bytes, got " +
                               Twine(header.data.size()) + " bytes");
  return Error::success();
}

Expected<std::vector<char>> quack::readNpyBytes(StringRef path) {
  std::unique_ptr<MemoryBuffer> buffer;
  Expected<Header> header = openFile(path, buffer);
  if (!header)
    return header.takeError();
  StringRef descr = header->descr;
  int64_t bytes = 0;
  if (!StringRef("<|").contains(descr.front()) || descr.size() < 3 ||
      !StringRef("biufc").contains(descr[1]) ||
      descr.drop_front(2).getAsInteger(10, bytes) || bytes < 1)
    return fileError(path, "has dtype '" + descr +
                               "'; it must be one of little-endian numbers" +
                               (descr.starts_with(">") ? adviceOnDescr(descr) : ""));
  Expected<std::vector<int64_t>> shape = parseShape(path, header->shape);
  if (!shape)
    return shape.takeError();
  NpyArray array;
  array.shape = std::move(*shape);
  if (Error error = checkSize(path, *header, array.size(), bytes))
    return error;
  return std::vector<char>(header->data.begin(), header->data.end());
}

Expected<NpyArray> quack::readNpy(StringRef path) {
  std::unique_ptr<MemoryBuffer> buffer;
  Expected<Header> header = openFile(path, buffer);
  if (!header)
    return header.takeError();
  bool isDouble = false;
  std::optional<StorageType> type = parseDescr(header->descr, isDouble);
  if (!type)
    return fileError(path,
                     "has dtype '" + header->descr +
                         "'; it must be <f4, <f2, <u2 (bf16), |u1 (f8), |i1, "
                         "<i4, <i8 or <f8" +
                         adviceOnDescr(header->descr));
  Expected<std::vector<int64_t>> shape = parseShape(path, header->shape);
  if (!shape)
    return shape.takeError();
  NpyArray array;
  array.type = *type;
  array.isEitherByte = isPatternOfByte(header->descr);
  array.shape = std::move(*shape);
  int64_t elementBytes = isDouble ? 8 : getSizeInBytes(*type);
  if (Error error = checkSize(path, *header, array.size(), elementBytes))
    return error;
  copyElements(header->data, isDouble, array);
  return array;
}

Error quack::checkWritable(StringRef path) {
  if (sys::fs::is_directory(path))
    return fileError(path, "is a folder");
  // A device such as /dev/null, or a file that is there.
  if (sys::fs::exists(path))
    return sys::fs::can_write(path) ? Error::success()
                                    : fileError(path, "may not be written");
  StringRef folder = sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!sys::fs::is_directory(folder))
    return fileError(path, "No such file or directory");
  return sys::fs::can_write(folder)
             ? Error::success()
             : fileError(path, "its folder may not be written");
}

Error quack::writeNpy(StringRef path, StorageType type, ArrayRef<int64_t> shape,
                      ArrayRef<char> data) {
  std::string text =
      ("{'descr': '" + descrOf(type) + "', 'fortran_order': False, 'shape': (")
          .str();
  for (int64_t extent : shape)
    text += std::to_string(extent) + ", ";
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  else if (shape.size() == 1)
    text.pop_back(); // (3,)
  text += "), }";
  // The data start at a multiple of 64 bytes; the header ends with a newline.
  size_t prefix = magic.size() + 4;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (error)
    return fileError(path, error.message());
  char length[2];
  support::endian::write16le(length, text.size());
  os << magic << '\x01' << '\x00' << StringRef(length, 2) << text;
  os.write(data.data(), data.size());
  os.close();
  if (!os.has_error())
    return Error::success();
  std::string message = os.error().message();
  os.clear_error();
  return fileError(path, message);
}

Expected<std::vector<char>> quack::convertElements(const NpyArray &array,
                                                   StorageType type) {
  bool isByte = type == StorageType::f8E4M3FN || type == StorageType::f8E5M2;
  if (array.isEitherByte && !isByte)
    return createStringError("holds the patterns of f8E4M3FN or f8E5M2, which "
                             "cannot be converted to " +
                             getName(type) +
                             " since the file does not say which: save "
                             "x.astype(numpy." +
                             (isFloat(type) ? "float32" : "int64") + ")");
  if (array.type == type || array.isEitherByte)
    return array.data;
  if (isFloat(array.type) != isFloat(type))
    return createStringError("cannot convert " + getName(array.type) + " to " +
                             getName(type) + ": save x.astype(numpy." +
                             (isFloat(type) ? "float32" : "int64") + ")");
  int64_t from = getSizeInBytes(array.type), to = getSizeInBytes(type);
  std::vector<char> converted(array.size() * to);
  constexpr int64_t block = 4096;
  double wide[block];
  for (int64_t begin = 0, n = array.size(); begin < n; begin += block) {
    int64_t count = std::min(block, n - begin);
    widen(array.type, array.data.data() + begin * from, wide, count);
    narrow(type, wide, converted.data() + begin * to, count);
  }
  return converted;
}
