//===- LayoutDrawing.cpp - Pictures of a layout ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture is a list of lines, made once; text and SVG only print it.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/LayoutDrawing.h"

#include "quack/Layout/MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace quack;
using llvm::raw_ostream;

//===----------------------------------------------------------------------===//
// The picture
//===----------------------------------------------------------------------===//

int64_t quack::drawnVector(const TVLayout &layout, TileShape tile,
                           const DrawingOptions &options) {
  int64_t run = layout.contiguousRun(tile), wanted = options.vectorElements;
  if (wanted == 0 && options.elementBytes != 0)
    wanted = 16 / options.elementBytes;
  while (wanted != 0 && run > wanted && run % 2 == 0)
    run /= 2;
  return run;
}

static bool haveOneCta(const Owner &a, const Owner &b) {
  return a.slice == b.slice && a.cta == b.cta;
}

/// The accesses of one row, in the order of the columns, apart by CTA.
static std::vector<std::vector<DrawnAccess>>
accessesOfRow(const TVLayout &layout, TileShape tile, int64_t row,
              int64_t vector) {
  std::vector<std::vector<DrawnAccess>> parts;
  for (int64_t column = 0; column < tile.columns; column += vector) {
    Owner owner = layout.inverse(row * tile.columns + column, tile).front();
    if (parts.empty() || !haveOneCta(parts.back().back().owner, owner))
      parts.emplace_back();
    parts.back().push_back({column, vector, owner});
  }
  return parts;
}

/// Calls `draw(i, leftOut)` for the first and the last of `count` things, at
/// most `most` in all; `leftOut` is how many are skipped after number i.
template <typename F>
static void forBothEnds(int64_t count, int64_t most, F draw) {
  int64_t head = count <= most ? count : most - 1;
  for (int64_t i = 0; i < head; ++i)
    draw(i, i == head - 1 && count > head ? count - head - 1 : 0);
  if (count > head)
    draw(count - 1, int64_t(0));
}

std::vector<DrawnLine> quack::drawLines(const TVLayout &layout, TileShape tile,
                                        const DrawingOptions &options) {
  std::vector<DrawnLine> lines;
  int64_t vector = drawnVector(layout, tile, options);
  size_t perLine = size_t(options.accessesPerLine);
  forBothEnds(tile.rows, options.mostRows, [&](int64_t row, int64_t rows) {
    std::vector<std::vector<DrawnAccess>> parts =
        accessesOfRow(layout, tile, row, vector);
    forBothEnds(
        int64_t(parts.size()), options.mostCtas,
        [&](int64_t part, int64_t ctas) {
          llvm::ArrayRef<DrawnAccess> all = parts[size_t(part)];
          int64_t count = int64_t((all.size() + perLine - 1) / perLine);
          forBothEnds(
              count, options.mostLines, [&](int64_t i, int64_t skipped) {
                llvm::ArrayRef<DrawnAccess> rest =
                    all.drop_front(size_t(i) * perLine);
                rest = rest.take_front(std::min(perLine, rest.size()));
                DrawnLine line{row, all.front().owner.cta, rest.vec(), skipped};
                lines.push_back(std::move(line));
              });
          lines.back().ctasLeftOut = ctas;
        });
    lines.back().rowsLeftOut = rows;
  });
  return lines;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// What a mode steps over: "8:4 columns", "2:1 rows", "32:0 copies".
static std::string describeMode(const TVLayout &layout, TileShape tile,
                                Mode mode) {
  if (mode.isCopy())
    return llvm::formatv("{0}:0 copies", mode.size);
  if (layout.isColumnMode(mode, tile))
    return llvm::formatv("{0}:{1} columns", mode.size, mode.stride);
  return llvm::formatv("{0}:{1} rows", mode.size,
                       tile.columns ? mode.stride / tile.columns : mode.stride);
}

static void printSummary(raw_ostream &os, const TVLayout &layout,
                         TileShape tile, const DrawingOptions &options) {
  os << "layout  " << layout.str() << "\n";
  os << "tile    " << tile << "; threads of the cluster: "
     << layout.size(Level::Cta) * layout.size(Level::Warp) * warpSize
     << ", values of a thread: " << layout.size(Level::Value) << "\n";
  for (Level level : llvm::reverse(allLevels)) {
    if (level == Level::Slice && layout.modes(level).empty())
      continue;
    os << llvm::left_justify(stringifyLevel(level), 8);
    if (layout.modes(level).empty())
      os << "1";
    llvm::interleave(
        layout.modes(level), os,
        [&](Mode mode) { os << describeMode(layout, tile, mode); }, ", ");
    os << "\n";
  }
  int64_t vector = drawnVector(layout, tile, options);
  os << "access  " << vector << (vector == 1 ? " element" : " elements");
  if (options.elementBytes == 0) {
    os << "\n";
    return;
  }
  GlobalAccess access{layout, tile, options.elementBytes, vector};
  access.baseAlignmentBytes = 32;
  GlobalAccessCost cost = globalAccessCost(access);
  os << " (" << vector * options.elementBytes << " bytes); a warp's "
     << "access of aligned rows touches " << cost.sectors << " sectors, "
     << cost.leastSectors << " at least\n";
}

/// "w0 l5 v8-15"; levels of size 1 are left out.
static std::string label(const TVLayout &layout, const DrawnAccess &access) {
  std::string text;
  if (layout.size(Level::Warp) > 1)
    text += "w" + std::to_string(access.owner.warp) + " ";
  text += "l" + std::to_string(access.owner.lane);
  if (layout.size(Level::Value) == 1)
    return text;
  text += " v" + std::to_string(access.owner.value);
  if (access.count > 1)
    text += "-" + std::to_string(access.owner.value + access.count - 1);
  return text;
}

/// What is left out after `line`, in words; empty if nothing is.
static std::string describeLeftOut(const DrawnLine &line) {
  std::string text;
  auto add = [&](int64_t count, const char *what) {
    if (count)
      text += "... " + std::to_string(count) + " more " + what +
              (count == 1 ? "" : "s");
  };
  add(line.linesLeftOut, "line");
  add(line.ctasLeftOut, "CTA");
  add(line.rowsLeftOut, "row");
  return text;
}

/// Where the elements of a line lie: "row 0, slice 2, CTA 1".
static std::string describePlace(const TVLayout &layout,
                                 const DrawnLine &line) {
  std::string text = "row " + std::to_string(line.row);
  if (!layout.modes(Level::Slice).empty())
    text += ", slice " + std::to_string(line.accesses.front().owner.slice);
  return text + ", CTA " + std::to_string(line.cta);
}

void quack::printLayout(raw_ostream &os, const TVLayout &layout, TileShape tile,
                        const DrawingOptions &options) {
  printSummary(os, layout, tile, options);
  std::vector<DrawnLine> lines = drawLines(layout, tile, options);
  size_t width = 0;
  for (const DrawnLine &line : lines)
    for (const DrawnAccess &access : line.accesses)
      width = std::max(width, label(layout, access).size());
  std::string place;
  for (const DrawnLine &line : lines) {
    if (std::string next = describePlace(layout, line); next != place) {
      os << "\n" << next << "\n";
      place = next;
    }
    os << llvm::format_decimal(line.accesses.front().column, 8) << " |";
    for (const DrawnAccess &access : line.accesses)
      os << " " << llvm::left_justify(label(layout, access), unsigned(width))
         << " |";
    os << "\n";
    if (std::string text = describeLeftOut(line); !text.empty())
      os << "     " << text << "\n";
  }
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

namespace {
/// Pixels.
constexpr int64_t cellWidth = 26, cellHeight = 22, labelHeight = 14,
                  margin = 90, gap = 10, ctaGap = 26;
} // namespace

/// A colour for a thread: neighbours get hues far apart, warps a lightness.
static std::string colour(const Owner &owner) {
  int64_t hue =
      (owner.lane * 137 + owner.warp * 53 + owner.cta * 29 + owner.slice * 83) %
      360;
  return llvm::formatv("hsl({0},65%,{1}%)", hue, 74 + owner.warp % 4 * 4);
}

static void writeText(raw_ostream &os, int64_t x, int64_t y, int64_t size,
                      llvm::StringRef anchor, llvm::StringRef text) {
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" "
                      "text-anchor=\"{3}\">{4}</text>\n",
                      x, y, size, anchor, text);
}

static void writeAccess(raw_ostream &os, const TVLayout &layout,
                        const DrawnAccess &access, int64_t x, int64_t y) {
  for (int64_t i = 0; i < access.count; ++i) {
    os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" "
                        "height=\"{3}\" fill=\"{4}\" stroke=\"#999\" "
                        "stroke-width=\"0.5\"/>\n",
                        x + i * cellWidth, y, cellWidth, cellHeight,
                        colour(access.owner));
    writeText(os, x + i * cellWidth + cellWidth / 2, y + 15, 10, "middle",
              std::to_string(access.owner.value + i));
  }
  os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                      "fill=\"none\" stroke=\"#000\" stroke-width=\"1.6\"/>\n",
                      x, y, access.count * cellWidth, cellHeight);
  std::string thread = "l" + std::to_string(access.owner.lane);
  if (layout.size(Level::Warp) > 1)
    thread = "w" + std::to_string(access.owner.warp) + " " + thread;
  writeText(os, x, y - 3, 9, "start", thread);
}

void quack::writeLayoutSVG(raw_ostream &os, const TVLayout &layout,
                           TileShape tile, const DrawingOptions &options) {
  std::vector<DrawnLine> lines = drawLines(layout, tile, options);
  std::string body;
  llvm::raw_string_ostream out(body);
  int64_t y = 40, width = 0;
  const Owner *last = nullptr;
  std::string place;
  for (const DrawnLine &line : lines) {
    if (std::string next = describePlace(layout, line); next != place) {
      bool isOtherCta = last && !haveOneCta(*last, line.accesses.front().owner);
      y += isOtherCta ? ctaGap : gap;
      writeText(out, 6, y + labelHeight + 15, 11, "start", next);
      place = next;
    }
    last = &line.accesses.front().owner;
    y += labelHeight;
    int64_t x = margin;
    for (const DrawnAccess &access : line.accesses) {
      writeAccess(out, layout, access, x, y);
      x += access.count * cellWidth + 2;
    }
    width = std::max(width, x);
    writeText(out, x + 4, y + 15, 9, "start",
              "columns " + std::to_string(line.accesses.front().column) + "-" +
                  std::to_string(line.accesses.back().column +
                                 line.accesses.back().count - 1));
    y += cellHeight;
    if (std::string text = describeLeftOut(line); !text.empty()) {
      y += 18;
      writeText(out, margin, y - 3, 11, "start", text);
    }
  }
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "width=\"{0}\" height=\"{1}\" "
                      "font-family=\"sans-serif\">\n",
                      width + 130, y + 20);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  writeText(os, 6, 20, 13, "start",
            llvm::formatv("{0} on {1}x{2}; numbers are a thread's values, "
                          "frames its vector accesses",
                          layout.str(), tile.rows, tile.columns)
                .str());
  os << body << "</svg>\n";
}
