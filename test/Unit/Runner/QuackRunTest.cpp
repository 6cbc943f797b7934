//===- QuackRunTest.cpp - the tool, on a fake driver -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs quack-run with FakeCuda.cpp in libcuda's place: what it prints, writes
// and returns for good kernels, wrong ones and lost GPUs.
//
//===----------------------------------------------------------------------===//

#include "ToolTest.h"

#include "quack/Runtime/Npy.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace quack;

namespace {
class QuackRunTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    for (const char *name :
         {"copy", "skip", "wrong", "past", "gap", "fault", "hang"})
      writeKernel(name, "64");
  }
  Outcome run(std::vector<std::string> arguments,
              std::vector<std::string> environment = {}) const {
    return runTool(QUACK_RUN, std::move(arguments), std::move(environment));
  }
};
} // namespace

TEST_F(QuackRunTest, verifiesAGoodKernel) {
  Outcome good = run({path("copy.mlir"), "--rows=300", "--verify"});
  EXPECT_RUN(good, 0,
             "verify: ok, 300 of 300 rows checked; y: ok, 19200 elements");
  EXPECT_TRUE(good.says("kernel: copy_rows, 300 rows of 64 columns"))
      << good.output;
}

TEST_F(QuackRunTest, checksASampleOfManyRows) {
  Outcome good = run({path("copy.mlir"), "--rows=300000", "--verify"});
  EXPECT_EQ(good.code, 0) << good.output;
  EXPECT_TRUE(good.says(" of 300000 rows checked")) << good.output;
  EXPECT_FALSE(good.says("300000 of 300000")) << good.output;
  // The last row is always in the sample.
  EXPECT_RUN(run({path("wrong.mlir"), "--rows=300000", "--verify"}), 1,
             "worst at row 299999, column 63");
}

TEST_F(QuackRunTest, findsWhatIsWrong) {
  EXPECT_RUN(
      run({path("skip.mlir"), "--rows=2", "--verify"}), 1,
      "bad, wrong values in 'y', 2 of 2 rows checked; y: 128 of 128 elements "
      "are wrong; worst at row 0, column 0: got nan");
  EXPECT_RUN(run({path("wrong.mlir"), "--rows=2", "--verify"}), 1,
             "y: 1 of 128 elements are wrong; worst at row 1, column 63");
  EXPECT_RUN(run({path("past.mlir"), "--rows=2", "--verify"}), 1,
             "bad, 4 bytes written after operand 'y'");
  EXPECT_RUN(
      run({path("gap.mlir"), "--rows=2", "--verify", "--row-stride", "y=80"}),
      1, "bad, 8 bytes written between the rows of 'y'");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--verify", "--row-stride",
                  "y=80", "--row-stride", "x=68"}),
             0, "verify: ok");
}

TEST_F(QuackRunTest, readsAndWritesArrays) {
  std::vector<float> x(3 * 64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = i * 0.5f;
  ArrayRef<char> bytes(reinterpret_cast<char *>(x.data()), x.size() * 4);
  ASSERT_FALSE(writeNpy(path("x.npy"), StorageType::f32, {3, 64}, bytes));
  Outcome good = run({path("copy.mlir"), "--in", "x=" + path("x.npy"), "--out",
                      "y=" + path("y.npy"), "--verify"});
  EXPECT_RUN(good, 0, "verify: ok, 3 of 3 rows checked");
  Expected<NpyArray> y = readNpy(path("y.npy"));
  ASSERT_TRUE(static_cast<bool>(y)) << toString(y.takeError());
  EXPECT_EQ(y->shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(y->data, bytes.vec());
  EXPECT_RUN(run({path("copy.mlir"), "--in", "x=" + path("x.npy"), "--rows=4"}),
             1, "has 3 rows where 4 are expected");
}

TEST_F(QuackRunTest, refusesFilesOfAnotherShape) {
  std::vector<char> bytes(60 * 4);
  ASSERT_FALSE(writeNpy(path("x.npy"), StorageType::f32, {1, 60}, bytes));
  EXPECT_RUN(run({path("copy.mlir"), "--in", "x=" + path("x.npy")}), 1,
             "must have rows of 64 columns, got the shape (1, 60)");
  ASSERT_FALSE(writeNpy(path("i.npy"), StorageType::i32, {1, 64},
                        std::vector<char>(64 * 4)));
  EXPECT_RUN(run({path("copy.mlir"), "--in", "x=" + path("i.npy")}), 1,
             "cannot convert i32 to f32");
}

TEST_F(QuackRunTest, measuresBesideACopy) {
  Outcome good = run({path("copy.mlir"), "--rows=1000", "--verify", "--bench",
                      "--json=" + path("out.jsonl")});
  // Each launch takes 10 us by the fake clock.
  EXPECT_RUN(good, 0, "bench: 10.00 us, 0.051 TB/s; copy_");
  EXPECT_TRUE(good.says("share 1.000")) << good.output;
  Expected<json::Value> line = json::parse(read("out.jsonl"));
  ASSERT_TRUE(static_cast<bool>(line)) << toString(line.takeError());
  const json::Object &object = *line->getAsObject();
  EXPECT_NEAR(*object.getNumber("us"), 10, 1e-3);
  EXPECT_NEAR(*object.getNumber("share"), 1, 1e-3);
  EXPECT_NEAR(*object.getNumber("tbs"), 1000 * 64 * 8 / 10e-6 * 1e-12, 1e-5);
  EXPECT_EQ(*object.getString("kernel"), "copy_rows");
  EXPECT_TRUE(object.getString("verify")->starts_with("ok"));
  EXPECT_EQ(*object.getInteger("registers"), 32);
}

TEST_F(QuackRunTest, noRowsLaunchNothing) {
  EXPECT_RUN(run({path("fault.mlir"), "--rows=0", "--verify"}), 0,
             "verify: ok, 0 of 0 rows checked");
}

TEST_F(QuackRunTest, reportsLostGPUs) {
  Outcome fault = run({path("fault.mlir"), "--rows=2"});
  EXPECT_RUN(fault, 4,
             "CUDA_ERROR_ILLEGAL_ADDRESS (from the fake driver); kernel "
             "'fault_rows', grid (");
  EXPECT_RUN(run({path("hang.mlir"), "--rows=2", "--watchdog=0.2"}), 4,
             "the GPU did not finish within 0.2 s: a kernel hangs");
}

TEST_F(QuackRunTest, sweepsOnAfterErrors) {
  auto line = [&](StringRef kernel, StringRef rest) {
    return ("{\"kernel\": \"" + path(kernel) + "\", \"rows\": 4" + rest + "}\n")
        .str();
  };
  write("jobs.jsonl",
        "# a comment\n" + line("copy.mlir", ", \"verify\": true") +
            line("copy.mlir", ", \"pins\": \"\"") + line("none.mlir", "") +
            line("wrong.mlir", ", \"verify\": true") + "not json\n" +
            line("copy.mlir", ", \"bench\": true") + line("fault.mlir", "") +
            line("copy.mlir", ""));
  Outcome sweep =
      run({"--sweep=" + path("jobs.jsonl"), "--json=" + path("out.jsonl")});
  EXPECT_RUN(sweep, 4, "the GPU was lost at line 8; the sweep stops");
  SmallVector<StringRef> lines;
  std::string text = read("out.jsonl");
  StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), 7u) << text;
  const char *const expected[] = {"\"verify\":\"ok", "unknown key 'pins'",
                                  "No such file",    "\"verify\":\"bad",
                                  "Invalid JSON",    "\"share\":1",
                                  "ILLEGAL_ADDRESS"};
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_TRUE(lines[i].contains(expected[i])) << lines[i].str();
}

TEST_F(QuackRunTest, saysWhenMemoryRunsOut) {
  EXPECT_RUN(
      run({path("copy.mlir"), "--rows=4096"}, {"FAKE_CUDA_MEMORY=100000"}), 1,
      "cannot allocate 1048576 bytes on the GPU");
}

TEST_F(QuackRunTest, refusesBadOptions) {
  EXPECT_RUN(run({}), 1, "expected a kernel file or --sweep=file");
  EXPECT_RUN(run({path("copy.mlir")}), 1,
             "the number of rows is not given (--rows or --in)");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=-2"}), 1,
             "--rows must not be negative, got -2");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--in", "x"}), 1,
             "--in must be name=file, each name once, got 'x'");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--scalar", "eps=small"}), 1,
             "--scalar must be name=number, got 'eps=small'");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--in", "y=a.npy"}), 1,
             "--in y: must name an in array of the kernel: x");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--row-stride", "y=32"}), 1,
             "operand 'y': the row stride must be at least 64, or 0 for an input "
             "from a seed, got 32");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--row-stride", "y=0"}), 1,
             "operand 'y': the row stride must be at least 64");
  EXPECT_RUN(
      run({path("copy.mlir"), "--rows=2", "--row-stride", "y=65",
           "--pin=alignment = vector"}),
      1, "the row stride of operand 'y' must be a multiple of 16 bytes, got 260");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--offset", "x=-1"}), 1,
             "operand 'x': the offset must not be negative, got -1");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--offset", "z=1"}), 1,
             "--offset z: must name an array of the kernel");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--offset", "x=9223372036854775807"}),
             1, "operand 'x': is too large for any memory: 2 rows, 64 elements apart, "
                "from element 9223372036854775807 on");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=9223372036854775807"}), 1,
             "is too large for any memory");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--in", "x=/dev/zero"}), 1,
             "'/dev/zero' is no regular file");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--device=sim", "--bench"}), 1,
             "--bench needs a GPU");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2147483648", "--device=sim"}), 1,
             "out of memory: this machine has ");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--kernel=other"}), 1,
             "has no kernel 'other', only copy_rows");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--iterations=0"}), 1,
             "--iterations must be at least 1, got 0");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--offset", "x=1", "--offset", "x=2"}),
             1, "--offset names 'x' twice, expected each name once");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--watchdog=0"}), 1,
             "--watchdog must be more than 0 seconds, got 0");
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2", "--columns=0"}), 1,
             "--columns must be 1 to 1073741824, got 0");
  write("count.mlir", R"(quack.kernel @count(%n: i32, %y: memref<?x64xf32> out row) {
    %f = arith.sitofp %n : i32 to f32
    %v = quack.broadcast %f : f32 -> tensor<64xf32>
    quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
  })");
  for (StringRef number : {"1.5", "nan", "inf", "3000000000"})
    EXPECT_RUN(run({path("count.mlir"), "--rows=2", "--scalar", "n=" + number.str()}), 1,
               "operand 'n': --scalar must be a number of type i32, got ");
  EXPECT_RUN(run({path("count.mlir"), "--rows=2", "--scalar", "n=1e400"}), 1,
             "--scalar must be name=number, got 'n=1e400'");
  EXPECT_RUN(run({"--sweep=a", "--in", "x=x.npy"}), 1,
             "--sweep takes no --in and no --out");
}

TEST_F(QuackRunTest, needsAGPUButForADryRun) {
  const std::vector<std::string> noDevice = {"FAKE_CUDA_NO_DEVICE=1"};
  EXPECT_RUN(run({path("copy.mlir"), "--rows=2"}, noDevice), 3,
             "no CUDA device: cuInit says CUDA_ERROR_NO_DEVICE; --device=sim runs on "
             "this machine's CPU");
  Outcome dry = run({path("copy.mlir"), "--rows=2", "--dry-run"}, noDevice);
  EXPECT_RUN(dry, 0, "launch: kernel 'copy_rows', grid (1, 1, 1)");
  EXPECT_TRUE(dry.says("bytes: 512 read, 512 written")) << dry.output;
}
