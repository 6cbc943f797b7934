//===- test/Unit/Runner/QuackBenchTest.cpp - the tool, on a fake driver *- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs quack-bench with FakeCuda.cpp in libcuda's place: each launch takes 10
// us by its clock, a copy of the driver 20.
//
//===----------------------------------------------------------------------===//

#include "ToolTest.h"

#include "quack/Bench/Table.h"

using namespace llvm;
using namespace quack;

namespace {
class QuackBenchTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    for (const char *name :
         {"copy", "same", "wrong", "late", "past", "fault", "hang"})
      writeKernel(name, "?");
  }
  /// Measures one small cell of each kernel unless `arguments` say another.
  Outcome run(std::vector<std::string> arguments,
              std::vector<std::string> environment = {}) const {
    arguments.push_back("--kernels-dir=" + std::string(folder.str()));
    return runTool(QUACK_BENCH, std::move(arguments), std::move(environment));
  }
  /// A kernel's one cell that the fake driver knows.
  Outcome measure(std::vector<std::string> arguments,
                  std::vector<std::string> environment = {}) const {
    for (const char *option : {"--columns=64", "--storage=f32", "--rows=1000",
                               "--samples=6", "--budget=0"})
      arguments.push_back(option);
    return run(std::move(arguments), std::move(environment));
  }
  Table table(StringRef name) const {
    Expected<Table> table = Table::read(path(name));
    if (table)
      return *table;
    ADD_FAILURE() << toString(table.takeError());
    return {};
  }
  std::string json(StringRef name) const { return "--json=" + path(name); }
};
} // namespace

TEST_F(QuackBenchTest, MeasuresBesideACopy) {
  Outcome good = measure({"copy", json("t.json")});
  EXPECT_RUN(good, 0, "on fake");
  Table measured = table("t.json");
  ASSERT_EQ(measured.rows.size(), 4u) << good.output;
  const Row &ours = measured.rows[0], &copy = measured.rows[1];
  const Row &replayed = measured.rows[2];
  EXPECT_EQ(ours.cell.str(), "copy f32 N=64 M=1000");
  EXPECT_EQ(ours.impl, "ours");
  EXPECT_NEAR(ours.time.median, 10, 1e-3);
  EXPECT_NEAR(ours.terabytesPerSecond, 1000 * 64 * 8 / 10e-6 * 1e-12, 1e-5);
  EXPECT_EQ(ours.more.getInteger("bytes"), 1000 * 64 * 8);
  EXPECT_EQ(ours.more.getInteger("samples"), 6);
  EXPECT_EQ(ours.more.getInteger("registers"), 32);
  EXPECT_EQ(ours.more.getInteger("ctas_per_sm"), 4);
  EXPECT_EQ(ours.more.getInteger("sm_mhz"), 1500);
  EXPECT_GT(ours.more.getNumber("predicted_us").value_or(0), 0);
  EXPECT_TRUE(
      ours.more.getString("verify")->starts_with("ok, 1000 of 1000 rows"));
  // The best is one of the project's own.
  EXPECT_EQ(copy.impl, "copy");
  EXPECT_NEAR(copy.time.median, 10, 1e-3);
  EXPECT_EQ(replayed.cell.str(), "copy f32 N=64 M=1000 replay");
  EXPECT_NEAR(replayed.time.median, 10, 1e-3);
  EXPECT_EQ(replayed.more.getInteger("launches"), 50);
  EXPECT_EQ(replayed.more.getInteger("places"), 2);
  const json::Object &machine = measured.runs.front();
  EXPECT_EQ(machine.getString("gpu"), "fake");
  EXPECT_EQ(machine.getString("driver"), "580.1");
  EXPECT_EQ(machine.getString("cuda"), "13.0");
  EXPECT_EQ(machine.getInteger("power_limit_watts"), 700);
  EXPECT_EQ(machine.getObject("clocks")->getInteger("most_sm_mhz"), 1980);
  EXPECT_EQ(machine.getBoolean("simulated"), false);
}

TEST_F(QuackBenchTest, WrongResultsAreErrorsOfTheirCells) {
  Outcome wrong = measure({"wrong", "past", "copy", json("t.json")});
  EXPECT_RUN(wrong, 1, "error: wrong result: bad, wrong values in 'y'");
  EXPECT_TRUE(
      wrong.says("error: wrong result: bad, 4 bytes written after operand 'y'"))
      << wrong.output;
  Table measured = table("t.json");
  std::vector<bool> good;
  for (const Row &row : measured.rows)
    if (row.impl == "ours")
      good.push_back(row.isGood());
  // The last kernel is measured all the same, by both methods.
  EXPECT_EQ(good, (std::vector<bool>{false, false, true, true}));
}

TEST_F(QuackBenchTest, ReplaysMustGiveTheSame) {
  // Three warm-ups and six samples are the nine launches that are right.
  Outcome late = measure({"late", json("t.json")});
  EXPECT_RUN(late, 1,
             "error: wrong result: a replayed launch on place 0 gave other "
             "bytes than a single one");
  Table measured = table("t.json");
  ASSERT_EQ(measured.rows.size(), 4u) << late.output;
  EXPECT_TRUE(measured.rows[0].isGood());
  EXPECT_FALSE(measured.rows[2].isGood());
}

TEST_F(QuackBenchTest, LostGPUsKeepWhatWasMeasured) {
  EXPECT_RUN(
      measure({"copy", "fault", "same", json("t.json")}), 4,
      "the GPU was lost at fault f32 N=64 M=1000; what was measured is kept");
  Table measured = table("t.json");
  EXPECT_EQ(measured.rows.size(), 5u);
  EXPECT_NE(measured.rows.back().error.find("ILLEGAL_ADDRESS"),
            std::string::npos);
  EXPECT_RUN(measure({"hang", "--watchdog=0.2"}), 4, "a kernel hangs");
  // What was there is left out, the failed cell is not.
  Outcome resumed = measure({"copy", "same", json("t.json"), "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_FALSE(resumed.says("\ncopy ")) << resumed.output;
  EXPECT_TRUE(resumed.says("\nsame ")) << resumed.output;
  EXPECT_EQ(table("t.json").rows.size(), 9u);
}

TEST_F(QuackBenchTest, RowsAreAddedAndNeverReplaced) {
  EXPECT_EQ(measure({"copy", json("t.json")}, {"SOURCE_DATE_EPOCH=0"}).code, 0);
  EXPECT_EQ(measure({"copy", json("t.json")}, {"SOURCE_DATE_EPOCH=86400"}).code,
            0);
  Table measured = table("t.json");
  EXPECT_EQ(measured.rows.size(), 8u);
  ASSERT_EQ(measured.runs.size(), 2u);
  EXPECT_EQ(measured.runs[0].getString("date"), "1970-01-01T00:00:00Z");
  EXPECT_EQ(measured.runs[1].getString("date"), "1970-01-02T00:00:00Z");
  EXPECT_EQ(measured.rows[7].run, 1);
}

TEST_F(QuackBenchTest, ShardsAreMerged) {
  for (const char *part : {"1/2", "2/2"})
    EXPECT_EQ(measure({"copy", "same", std::string("--shard=") + part,
                       json(part[0] + std::string(".json"))})
                  .code,
              0);
  EXPECT_EQ(table("1.json").rows.size(), 4u);
  EXPECT_EQ(table("2.json").rows.front().cell.op, "same");
  std::string one = "--from=" + path("1.json"),
              two = "--from=" + path("2.json");
  Outcome merged = run({one, two, json("t.json"), "--plot=" + path("plots")});
  EXPECT_RUN(merged, 0, "copy, f32, TB/s on fake");
  EXPECT_TRUE(merged.says("same, f32, replay, TB/s on fake")) << merged.output;
  EXPECT_EQ(table("t.json").rows.size(), 8u);
  EXPECT_NE(read("plots/same-replay.svg").find("same on fake"),
            std::string::npos);
  // A part that is there already adds nothing.
  EXPECT_EQ(run({one, json("t.json")}).code, 0);
  EXPECT_EQ(table("t.json").rows.size(), 8u);
}

TEST_F(QuackBenchTest, SlowerIsAnExitCode) {
  EXPECT_EQ(measure({"copy", json("now.json")}).code, 0);
  std::string old = "--compare=" + path("old.json");
  auto remember = [&](double microseconds) {
    Table before = table("now.json");
    for (Row &row : before.rows)
      row.time = {microseconds, microseconds, microseconds};
    cantFail(before.write(path("old.json")));
  };
  remember(11);
  EXPECT_RUN(measure({"copy", old}), 0,
             "2 cells: 0 within their intervals, 2 faster");
  remember(9);
  EXPECT_RUN(measure({"copy", old}), 1, "0 faster, 2 slower");
  EXPECT_RUN(run({"--from=" + path("now.json"), old}), 1, "0 faster, 2 slower");
  // A table that is wrong is said before anything is measured.
  write("old.json", "{}");
  Outcome broken = measure({"copy", old});
  EXPECT_RUN(broken, 1, "expected an object with rows");
  EXPECT_FALSE(broken.says("on fake")) << broken.output;
}

TEST_F(QuackBenchTest, ATableHasOneWriter) {
  write("t.json.lock", "nobody-here 1");
  EXPECT_RUN(measure({"copy", json("t.json")}), 1,
             "is being written by another process");
}

TEST_F(QuackBenchTest, SaysWhenMemoryRunsOut) {
  EXPECT_RUN(
      measure({"copy"}, {"FAKE_CUDA_MEMORY=100000"}), 1,
      "error: operand 'x': cannot be placed on the GPU\n  cannot allocate");
}

TEST_F(QuackBenchTest, RefusesBadOptions) {
  EXPECT_RUN(run({"nothing"}), 1, "there is no kernel 'nothing': no file '");
  EXPECT_RUN(run({"copy", "--columns=0"}), 1,
             "--columns must be 1 to 1073741824, got 0");
  EXPECT_RUN(run({"copy", "--storage=i32"}), 1,
             "--storage must be types of floats such as bf16,f32, got 'i32'");
  EXPECT_RUN(run({"copy", "--rows=0"}), 1,
             "--rows must be at least 1, got '0'");
  EXPECT_RUN(run({"copy", "--bytes=12X"}), 1, "--bytes must be a size such as");
  EXPECT_RUN(run({"copy", "--bytes=1G", "--rows=1"}), 1, "give one");
  EXPECT_RUN(run({"copy", "--shard=3/2"}), 1,
             "--shard must be i/n with 1 <= i <= n");
  EXPECT_RUN(run({"copy", "--scalar", "eps"}), 1,
             "--scalar must be name=number");
  EXPECT_RUN(run({"copy", "--resume"}), 1, "--resume needs --json=file");
  EXPECT_RUN(run({"copy", "--samples=0"}), 1, "--samples must be at least 1");
  EXPECT_RUN(run({"copy", "--budget=-1"}), 1,
             "--budget must be 0 seconds or more");
  EXPECT_RUN(run({"copy", "--watchdog=0"}), 1,
             "--watchdog must be more than 0");
  EXPECT_RUN(run({"copy", "--device=tpu"}), 1, "--device must be gpu or sim");
  EXPECT_RUN(run({"copy", "--device=sim"}), 1,
             "is too large for the simulator");
  EXPECT_RUN(run({"copy", "--from=t.json"}), 1, "--from measures nothing");
  EXPECT_RUN(run({"--from=" + path("t.json")}), 1, "t.json': No such file");
}

TEST_F(QuackBenchTest, NeedsAGPUButForADryRun) {
  const std::vector<std::string> noDevice = {"FAKE_CUDA_NO_DEVICE=1"};
  EXPECT_RUN(
      measure({"copy"}, noDevice), 3,
      "no CUDA device: cuInit says CUDA_ERROR_NO_DEVICE; --dry-run lists the "
      "cells, and --from shows tables");
  EXPECT_RUN(
      measure({"copy", "--dry-run"}, noDevice), 0,
      "copy f32 N=64 M=1000: 256000 bytes read, 256000 written; predicted ");
}
