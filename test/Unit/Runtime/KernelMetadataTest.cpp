//===- KernelMetadataTest.cpp - metadata as JSON ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document beside a PTX file: its text, its round trip, and the errors that
// name what is missing or out of range.
//
//===----------------------------------------------------------------------===//

#include "quack/Target/KernelMetadata.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

static ModuleMetadata sample() {
  KernelMetadata kernel;
  kernel.name = "rmsnorm";
  kernel.columns = 32000;
  kernel.threads = 256;
  kernel.cluster = 2;
  kernel.rowsPerTile = 1;
  kernel.sharedBytes = 4096;
  kernel.plan = "#quack_tv.plan<threads = 256>";
  kernel.operands = {{"x", "in", "row", "bf16", 16},
                     {"w", "in", "columns", "f32", 16},
                     {"rstd", "out", "scalar", "f32", 4},
                     {"eps", "in", "value", "f32", 1},
                     {"y", "inout", "row", "bf16", 1}};
  return {"sm_90", 83, {kernel}};
}

static std::string text(const json::Value &value) {
  return formatv("{0:2}", value);
}

TEST(KernelMetadataTest, roundTrips) {
  json::Value json = sample().toJSON();
  Expected<ModuleMetadata> back = ModuleMetadata::fromJSON(json);
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_EQ(text(back->toJSON()), text(json));
  const KernelMetadata &kernel = back->kernels.at(0);
  EXPECT_EQ(kernel.columns, 32000);
  EXPECT_EQ(kernel.cluster, 2);
  EXPECT_EQ(kernel.operands.at(0).alignmentBytes, 16);
  EXPECT_EQ(kernel.operands.at(4).alignmentBytes, 1);
  EXPECT_EQ(kernel.operands.at(4).direction, "inout");
  Expected<KernelMetadata> alone = KernelMetadata::fromJSON(kernel.toJSON());
  ASSERT_TRUE(static_cast<bool>(alone));
  EXPECT_EQ(alone->plan, "#quack_tv.plan<threads = 256>");
}

TEST(KernelMetadataTest, saysWhatALauncherNeeds) {
  json::Value json = sample().toJSON();
  const json::Object &document = *json.getAsObject();
  EXPECT_TRUE(document.getString("compiler")->starts_with("quack 0."));
  const json::Object &kernel =
      *(*document.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(*kernel.getString("grid"), "(ceil(M / rows_per_tile) * cluster, 1, 1)");
  const json::Object &abi = *kernel.getObject("abi");
  EXPECT_EQ(json::Value(json::Array(*abi.getArray("parameters"))),
            json::Value(json::Array{
                "x: pointer", "x_row_stride: i64 (elements)", "w: pointer",
                "w_row_stride: i64 (elements)", "rstd: pointer",
                "rstd_row_stride: i64 (elements)", "y: pointer",
                "y_row_stride: i64 (elements)", "M: i64", "eps: f32"}));
  EXPECT_EQ(
      text((*kernel.getArray("guards"))[0]),
      text(json::Object{{"operand", "x"},
                        {"what", json::Array{"pointer", "row stride in bytes"}},
                        {"multiple_of", 16}}));
  EXPECT_EQ(kernel.getArray("guards")->size(), 3u);
}

TEST(KernelMetadataTest, stages) {
  ModuleMetadata module = sample();
  KernelMetadata &first = module.kernels.front();
  first.split = 8;
  first.workspaceBytes = 64;
  first.next = "rmsnorm_stage2";
  KernelMetadata second = first;
  second.name = "rmsnorm_stage2";
  second.split = 1;
  second.next = "";
  module.kernels.push_back(second);
  json::Value json = module.toJSON();
  const json::Object &kernel =
      *(*json.getAsObject()->getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(*kernel.getString("grid"),
            "(ceil(M / rows_per_tile) * split * cluster, 1, 1)");
  EXPECT_EQ(
      *kernel.getObject("abi")->getArray("parameters")->back().getAsString(),
      "workspace: pointer (M * workspace_bytes_per_row bytes)");
  Expected<ModuleMetadata> back = ModuleMetadata::fromJSON(json);
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_EQ(text(back->toJSON()), text(json));
  std::vector<const KernelMetadata *> stages = back->stagesOf("rmsnorm");
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[1]->name, "rmsnorm_stage2");
  EXPECT_EQ(stages[0]->workspaceBytes, 64);
  EXPECT_TRUE(back->stagesOf("softmax").empty());
}

/// Returns the error of reading the sample after `change` was made to its
/// kernel.
static std::string errorAfter(function_ref<void(json::Object &)> change) {
  json::Value json = sample().toJSON();
  change(*(*json.getAsObject()->getArray("kernels"))[0].getAsObject());
  Expected<ModuleMetadata> back = ModuleMetadata::fromJSON(json);
  return back ? "none" : toString(back.takeError());
}

static json::Object &operandOf(json::Object &kernel, size_t index) {
  return *(*kernel.getObject("abi")->getArray("operands"))[index].getAsObject();
}

TEST(KernelMetadataTest, namesWhatIsWrong) {
  EXPECT_EQ(errorAfter([](json::Object &kernel) { kernel.erase("threads"); }),
            "missing value at launch metadata.kernels[0].threads");
  EXPECT_EQ(errorAfter([](json::Object &kernel) { kernel["threads"] = 0; }),
            "out of range at launch metadata.kernels[0].threads");
  EXPECT_EQ(errorAfter([](json::Object &kernel) { kernel["cluster"] = 17; }),
            "out of range at launch metadata.kernels[0].cluster");
  EXPECT_EQ(errorAfter([](json::Object &kernel) { kernel["split"] = 0; }),
            "out of range at launch metadata.kernels[0].split");
  EXPECT_EQ(
      errorAfter([](json::Object &kernel) { kernel["columns"] = "many"; }),
      "expected integer at launch metadata.kernels[0].columns");
  EXPECT_EQ(errorAfter([](json::Object &kernel) {
              operandOf(kernel, 1)["role"] = "weight";
            }),
            "expected row, columns, scalar, single, value, groups or picks at "
            "launch metadata.kernels[0].abi.operands[1].role");
  EXPECT_EQ(errorAfter([](json::Object &kernel) {
              operandOf(kernel, 0)["direction"] = "up";
            }),
            "expected in, out or inout at "
            "launch metadata.kernels[0].abi.operands[0].direction");
  EXPECT_EQ(errorAfter([](json::Object &kernel) {
              operandOf(kernel, 0)["type"] = "f64";
            }),
            "expected f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64 at "
            "launch metadata.kernels[0].abi.operands[0].type");
  EXPECT_EQ(errorAfter([](json::Object &kernel) {
              (*(*kernel.getArray("guards"))[0].getAsObject())["operand"] = "z";
            }),
            "names no operand of the abi at "
            "launch metadata.kernels[0].guards[0].operand");
  EXPECT_EQ(errorAfter([](json::Object &kernel) {
              (*(*kernel.getArray("guards"))[1].getAsObject())["multiple_of"] =
                  0;
            }),
            "out of range at launch metadata.kernels[0].guards[1].multiple_of");
  Expected<ModuleMetadata> none = ModuleMetadata::fromJSON(json::Array{});
  EXPECT_EQ(toString(none.takeError()),
            "expected object when parsing launch metadata");
}
