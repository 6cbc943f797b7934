//===- NpyTest.cpp - array files -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips, files as numpy writes them, and each way in which a file can be
// bad.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

namespace {
/// A file that is deleted at the end of the test.
struct TemporaryFile {
  SmallString<128> path;

  explicit TemporaryFile(StringRef content = "") {
    int descriptor;
    EXPECT_FALSE(
        sys::fs::createTemporaryFile("quack", "npy", descriptor, path));
    raw_fd_ostream(descriptor, /*shouldClose=*/true) << content;
  }
  ~TemporaryFile() { sys::fs::remove(path); }
};
} // namespace

/// Returns a version-1 file with the header `dictionary`.
static std::string fileWith(StringRef dictionary, StringRef data) {
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(dictionary.size() & 255);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary.str() + data.str();
}

/// Returns what reading `content` complains about, without the path.
static std::string complaint(StringRef content) {
  TemporaryFile file(content);
  Expected<NpyArray> array = readNpy(file.path);
  if (array)
    return "none";
  return StringRef(toString(array.takeError())).split("': ").second.str();
}

TEST(NpyTest, roundTripsEveryTypeAndRank) {
  const std::vector<int64_t> shapes[] = {{}, {0}, {3}, {2, 3}, {2, 3, 4}};
  for (StorageType type :
       {StorageType::f32, StorageType::bf16, StorageType::f16, StorageType::i8,
        StorageType::i32, StorageType::i64})
    for (const std::vector<int64_t> &shape : shapes) {
      NpyArray array{type, shape, {}};
      array.data.resize(array.size() * getSizeInBytes(type));
      for (size_t i = 0; i < array.data.size(); ++i)
        array.data[i] = static_cast<char>(i * 37 + 1);
      TemporaryFile file;
      ASSERT_FALSE(writeNpy(file.path, type, shape, array.data));
      Expected<NpyArray> back = readNpy(file.path);
      ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
      EXPECT_EQ(back->type, type);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->data, array.data);
    }
}

TEST(NpyTest, takesPatternsOfBytesAsTheOperandSays) {
  TemporaryFile file;
  std::vector<char> data = {0x3c, 0x7e, char(0xfb)};
  ASSERT_FALSE(writeNpy(file.path, StorageType::f8E5M2, {3}, data));
  Expected<NpyArray> array = readNpy(file.path);
  ASSERT_TRUE(static_cast<bool>(array)) << toString(array.takeError());
  for (StorageType type : {StorageType::f8E4M3FN, StorageType::f8E5M2}) {
    Expected<std::vector<char>> elements = convertElements(*array, type);
    ASSERT_TRUE(static_cast<bool>(elements));
    EXPECT_EQ(*elements, data);
  }
  EXPECT_EQ(
      toString(convertElements(*array, StorageType::f32).takeError()),
      "holds the patterns of f8E4M3FN or f8E5M2, which cannot be converted to "
      "f32 since the file does not say which: save x.astype(numpy.float32)");
  EXPECT_EQ(
      toString(convertElements(*array, StorageType::i8).takeError()),
      "holds the patterns of f8E4M3FN or f8E5M2, which cannot be converted to "
      "i8 since the file does not say which: save x.astype(numpy.int64)");
  // As ml_dtypes saves them.
  for (StringRef descr : {"|V1", "<f1"}) {
    TemporaryFile saved(fileWith(
        ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,)}")
            .str(),
        "\x38"));
    Expected<NpyArray> back = readNpy(saved.path);
    ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
    EXPECT_TRUE(back->isEitherByte);
  }
}

TEST(NpyTest, readsWhatNumpyWrites) {
  // numpy.save of numpy.array([[1., 2.]], dtype='<f4'), header as numpy pads
  // it.
  std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  dictionary += std::string(117 - dictionary.size(), ' ') + "\n";
  TemporaryFile file(
      fileWith(dictionary, StringRef("\0\0\x80\x3f\0\0\0\x40", 8)));
  Expected<NpyArray> array = readNpy(file.path);
  ASSERT_TRUE(static_cast<bool>(array)) << toString(array.takeError());
  EXPECT_EQ(array->shape, (std::vector<int64_t>{1, 2}));
  double values[2];
  widen(array->type, array->data.data(), values, 2);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[1], 2.0);
}

TEST(NpyTest, readsVersionTwoAndDoubles) {
  std::string dictionary =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
  std::string file = "\x93NUMPY\x02";
  file += '\0';
  file += static_cast<char>(dictionary.size());
  file += std::string(3, '\0');
  double value = 0.1;
  file += dictionary + std::string(reinterpret_cast<char *>(&value), 8);
  TemporaryFile temporary(file);
  Expected<NpyArray> array = readNpy(temporary.path);
  ASSERT_TRUE(static_cast<bool>(array)) << toString(array.takeError());
  EXPECT_EQ(array->type, StorageType::f32);
  double got;
  widen(array->type, array->data.data(), &got, 1);
  EXPECT_EQ(got, 0.1f);
}

TEST(NpyTest, readsBytesOfAnyNumber) {
  auto bytesOf = [](StringRef descr, StringRef data) {
    TemporaryFile file(fileWith(
        ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,)}")
            .str(),
        data));
    Expected<std::vector<char>> bytes = readNpyBytes(file.path);
    return bytes ? std::string(bytes->begin(), bytes->end())
                 : toString(bytes.takeError());
  };
  EXPECT_EQ(bytesOf("<f8", "12345678"), "12345678");
  EXPECT_EQ(bytesOf("<u4", "1234"), "1234");
  EXPECT_EQ(bytesOf("|b1", "1"), "1");
  EXPECT_EQ(bytesOf("<c8", "12345678"), "12345678");
  for (StringRef descr : {">u4", "<U4", "<u", "|O"})
    EXPECT_TRUE(StringRef(bytesOf(descr, "1234"))
                    .contains("it must be one of little-endian numbers"));
  EXPECT_TRUE(StringRef(bytesOf("<u8", "1234"))
                  .contains("must hold 1 elements of 8 bytes, got 4 bytes"));
}

TEST(NpyTest, namesWhatIsWrongWithAFile) {
  EXPECT_EQ(complaint("hello, this is text"),
            "not a .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(complaint("\x93NUMPY"),
            "not a .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(complaint(StringRef("\x93NUMPY\x03\0\0\0\0\0", 12)),
            "has .npy format version 3; versions 1 and 2 can be read");
  EXPECT_EQ(complaint(StringRef("\x93NUMPY\x01\0\x40\0{}", 12)),
            "ends within its header");
  EXPECT_EQ(complaint(StringRef("\x93NUMPY\x02\0\x40\0", 10)),
            "ends within its header");
  EXPECT_EQ(complaint(fileWith("{'descr': '<f4', 'fortran_order': False}", "")),
            "has a header without descr, fortran_order or shape");
  EXPECT_EQ(
      complaint(fileWith(
          "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234")),
      "has dtype '>f4'; it must be <f4, <f2, <u2 (bf16), |u1 (f8), |i1, <i4, "
      "<i8 or "
      "<f8; "
      "it is big-endian: save x.astype('<f4')");
  EXPECT_EQ(complaint(fileWith(
                "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
                "12345678")),
            "has dtype '<c8'; it must be <f4, <f2, <u2 (bf16), |u1 (f8), |i1, "
            "<i4, <i8 or "
            "<f8; "
            "save x.astype(numpy.float32), or another of them");
  EXPECT_EQ(
      complaint(fileWith(
          "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "1234")),
      "is in Fortran order; save numpy.ascontiguousarray(x)");
  EXPECT_EQ(
      complaint(fileWith(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2)}", "")),
      "has the shape (1, -2); its extents must be numbers from 0 with a product "
      "below 2^63");
  EXPECT_EQ(
      complaint(fileWith("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(4294967296, 4294967296)}",
                         "")),
      "has the shape (4294967296, 4294967296); its extents must be numbers from 0 "
      "with a product below 2^63");
  EXPECT_EQ(
      complaint(fileWith(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234")),
      "must hold 2 elements of 4 bytes, got 4 bytes");
}

TEST(NpyTest, namesMissingFilesAndFolders) {
  Expected<NpyArray> missing = readNpy("no/such/file.npy");
  EXPECT_EQ(toString(missing.takeError()),
            "'no/such/file.npy': No such file or directory");
  EXPECT_EQ(toString(writeNpy("no/such/file.npy", StorageType::f32, {0}, {})),
            "'no/such/file.npy': No such file or directory");
}

TEST(NpyTest, convertsElements) {
  NpyArray array{StorageType::f32, {3}, std::vector<char>(12)};
  const double values[] = {1, 1.00390625, -3e38};
  narrow(StorageType::f32, values, array.data.data(), 3);
  Expected<std::vector<char>> converted =
      convertElements(array, StorageType::bf16);
  ASSERT_TRUE(static_cast<bool>(converted));
  double back[3];
  widen(StorageType::bf16, converted->data(), back, 3);
  EXPECT_EQ(back[0], 1.0);
  EXPECT_EQ(back[1], 1.0); // a tie, to even
  converted = convertElements(array, StorageType::f8E5M2);
  ASSERT_TRUE(static_cast<bool>(converted));
  widen(StorageType::f8E5M2, converted->data(), back, 3);
  EXPECT_EQ(back[2], -57344.0);
  Expected<std::vector<char>> refused =
      convertElements(array, StorageType::i32);
  EXPECT_EQ(toString(refused.takeError()), "cannot convert f32 to i32: save x.astype(numpy.int64)");
}
