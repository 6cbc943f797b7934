//===- test/Unit/Bench/PlotTest.cpp - figures of tables ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That a figure has what the table has, where it belongs.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "quack/Bench/Plot.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

static std::vector<Figure> figuresOf(const Table &table) {
  Expected<std::vector<Figure>> figures = drawFigures(table);
  if (figures)
    return *figures;
  ADD_FAILURE() << toString(figures.takeError());
  return {};
}

TEST(Plot, AFigureForEachKernelAndMethod) {
  Row replay = makeRow("ours", 256, 100);
  replay.cell.method = "replay";
  Row norm = makeRow("ours", 256, 100);
  norm.cell.op = "rms_norm";
  Row failed = makeRow("ours", 512, 100);
  failed.cell.op = "broken";
  failed.error = "why";
  std::vector<Figure> figures =
      figuresOf(makeTable({makeRow("ours", 256, 100), replay, norm, failed}));
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].name, "rms_norm.svg");
  EXPECT_EQ(figures[1].name, "softmax.svg");
  EXPECT_EQ(figures[2].name, "softmax-replay.svg");
}

TEST(Plot, DrawsLinesOverTheLogarithmOfN) {
  Table table =
      makeTable({makeRow("copy", 256, 250), makeRow("copy", 1024, 250),
                 makeRow("ours", 256, 500), makeRow("ours", 512, 400),
                 makeRow("ours", 1024, 250), makeRow("torch & co", 256, 1000),
                 makeRow("ours", 512, 200, "f32")});
  std::vector<Figure> figures = figuresOf(table);
  ASSERT_EQ(figures.size(), 1u);
  StringRef svg = figures[0].svg;
  // Up to 6 TB/s in steps of 1, and 4 TB/s are a third below the top of 300
  // pixels; N = 512 lies in the middle of 420.
  EXPECT_NE(svg.find("points=\"0.0,200.0 210.0,175.0 420.0,100.0\""),
            StringRef::npos)
      << svg.str();
  EXPECT_NE(
      svg.find(
          "points=\"0.0,100.0 420.0,100.0\" fill=\"none\" stroke=\"#555555\" "
          "stroke-width=\"2\" stroke-dasharray"),
      StringRef::npos);
  EXPECT_EQ(svg.count("<polyline"), 4u);
  EXPECT_EQ(svg.count("<circle"), 7u);
  EXPECT_EQ(svg.count("stroke=\"#d62728\" stroke-width=\"2\""), 3u);
  for (StringRef text : {">softmax on NVIDIA H200<", ">bf16<", ">f32<", ">256<",
                         ">512<", ">1K<", ">6<", ">torch &amp; co<", ">copy<"})
    EXPECT_NE(svg.find(text), StringRef::npos) << text.str();
  EXPECT_EQ(svg.find(">2K<"), StringRef::npos);
  EXPECT_EQ(figuresOf(table)[0].svg, svg);
}

TEST(Plot, RefusesWhatHasNoPlace) {
  auto textOf = [](const Table &table) {
    Expected<std::vector<Figure>> figures = drawFigures(table);
    return figures ? "none" : toString(figures.takeError());
  };
  Table table =
      makeTable({makeRow("ours", 256, 100), makeRow("ours", 512, 100)});
  table.runs.push_back(json::Object{{"gpu", "NVIDIA H100"}});
  EXPECT_EQ(textOf(table), "none");
  table.rows[1].run = 1;
  EXPECT_EQ(textOf(table),
            "the table has times of several GPUs (NVIDIA H200, NVIDIA "
            "H100): plot each by itself");
  table.rows[1].run = 0;
  table.rows[1].cell.op = "../softmax";
  EXPECT_NE(textOf(table).find("'../softmax' cannot be a figure's name"),
            std::string::npos);
  EXPECT_EQ(textOf(Table()), "none");
}
