//===- lib/Bench/Plot.cpp - measured cells as pictures ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates are pixels from the top left. x is the logarithm of N, y starts
// at 0.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Plot.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <map>

using namespace llvm;
using namespace quack;

static constexpr double panelWidth = 420, panelHeight = 300;
static constexpr double left = 62, top = 64, gap = 56, bottom = 52;

namespace {
/// The summaries of implementations, in order of N.
using Lines = std::map<std::string, std::vector<Summary>>;

/// What is drawn of one kernel by one method.
struct Content {
  std::vector<std::string> impls;      ///< in the legend's order
  std::map<std::string, Lines> panels; ///< by dtype
};

/// The scale of all panels.
struct Axes {
  double firstLog = 0, lastLog = 1; ///< of N, base 2
  double most = 1, step = 1;        ///< TB/s

  double x(double columns) const {
    return (std::log2(columns) - firstLog) / (lastLog - firstLog) * panelWidth;
  }
  double y(double terabytesPerSecond) const {
    return panelHeight * (1 - terabytesPerSecond / most);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static std::string escaped(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  printHTMLEscaped(text, os);
  return result;
}

static void drawText(raw_ostream &os, double x, double y, StringRef text,
                     StringRef anchor = "middle", int size = 12) {
  os << formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"{2}\" "
                "font-size=\"{3}\">{4}</text>\n",
                x, y, anchor, size, escaped(text));
}

static void drawLine(raw_ostream &os, double x1, double y1, double x2,
                     double y2, StringRef style) {
  os << formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" y2=\"{3:F1}\" "
                "{4}/>\n",
                x1, y1, x2, y2, style);
}

/// Returns the colour of an implementation: this project's own is the first of
/// the palette, yardsticks are grey.
static StringRef colourOf(ArrayRef<std::string> impls, size_t number) {
  static constexpr StringLiteral palette[] = {"#1f77b4", "#ff7f0e", "#2ca02c",
                                              "#9467bd", "#8c564b", "#e377c2",
                                              "#bcbd22", "#17becf"};
  StringRef impl = impls[number];
  if (impl == "ours")
    return "#d62728";
  if (impl == "copy")
    return "#555555";
  if (impl == "read")
    return "#aaaaaa";
  size_t place = 0;
  for (const std::string &other : impls.take_front(number))
    place += other != "ours" && other != "copy" && other != "read";
  return palette[place % std::size(palette)];
}

static StringRef dashOf(StringRef impl) {
  return impl == "copy" || impl == "read" ? " stroke-dasharray=\"6 4\"" : "";
}

static std::string columnsText(double columns) {
  auto number = int64_t(columns);
  return number >= 1024 && number % 1024 == 0
             ? std::to_string(number / 1024) + "K"
             : std::to_string(number);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

static Axes chooseAxes(const Content &content) {
  double least = std::numeric_limits<double>::max(), greatest = 1, most = 0;
  for (const auto &[dtype, lines] : content.panels)
    for (const auto &[impl, summaries] : lines)
      for (const Summary &summary : summaries) {
        least = std::min(least, double(summary.cell.columns));
        greatest = std::max(greatest, double(summary.cell.columns));
        most = std::max(most, summary.megabytes / summary.time.low);
      }
  Axes axes;
  axes.firstLog = std::floor(std::log2(std::min(least, greatest)));
  axes.lastLog = std::max(std::ceil(std::log2(greatest)), axes.firstLog + 1);
  // Steps of 1, 2 or 5 times a power of ten, six of them at most.
  double rough = std::max(most, 1e-9) / 6;
  double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double factor : {10.0, 5.0, 2.0, 1.0})
    if (factor * power >= rough)
      axes.step = factor * power;
  axes.most = std::ceil(most / axes.step + 1e-9) * axes.step;
  return axes;
}

static void drawFrame(raw_ostream &os, const Axes &axes, StringRef dtype) {
  drawText(os, panelWidth / 2, -10, dtype, "middle", 14);
  for (double tick = 0; tick <= axes.most + axes.step / 2; tick += axes.step) {
    drawLine(os, 0, axes.y(tick), panelWidth, axes.y(tick),
             "stroke=\"#dddddd\"");
    drawText(os, -8, axes.y(tick) + 4,
             formatv("{0}", format("%.4g", tick)).str(), "end");
  }
  for (double log = axes.firstLog; log <= axes.lastLog; ++log) {
    double columns = std::exp2(log), x = axes.x(columns);
    drawLine(os, x, panelHeight, x, panelHeight + 5, "stroke=\"#333333\"");
    drawText(os, x, panelHeight + 20, columnsText(columns));
  }
  os << formatv("<rect width=\"{0}\" height=\"{1}\" fill=\"none\" "
                "stroke=\"#333333\"/>\n",
                panelWidth, panelHeight);
  drawText(os, panelWidth / 2, panelHeight + 40, "N, columns of a row");
}

/// Draws one implementation: a line through its medians, marks, and the
/// intervals.
static void drawImpl(raw_ostream &os, const Axes &axes,
                     ArrayRef<Summary> summaries, StringRef impl,
                     StringRef colour) {
  std::string points;
  for (const Summary &summary : summaries)
    points += formatv("{0}{1:F1},{2:F1}", points.empty() ? "" : " ",
                      axes.x(double(summary.cell.columns)),
                      axes.y(summary.terabytesPerSecond()));
  os << formatv("<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" "
                "stroke-width=\"2\"{2}/>\n",
                points, colour, dashOf(impl));
  for (const Summary &summary : summaries) {
    double x = axes.x(double(summary.cell.columns));
    drawLine(os, x, axes.y(summary.megabytes / summary.time.high), x,
             axes.y(summary.megabytes / summary.time.low),
             formatv("stroke=\"{0}\"", colour).str());
    os << formatv(
        "<circle cx=\"{0:F1}\" cy=\"{1:F1}\" r=\"3\" fill=\"{2}\"/>\n", x,
        axes.y(summary.terabytesPerSecond()), colour);
  }
}

static void drawLegend(raw_ostream &os, ArrayRef<std::string> impls) {
  for (const auto &[i, impl] : enumerate(impls)) {
    double y = 10 + 20 * double(i);
    drawLine(os, 0, y, 26, y,
             formatv("stroke=\"{0}\" stroke-width=\"2\"{1}", colourOf(impls, i),
                     dashOf(impl))
                 .str());
    drawText(os, 34, y + 4, impl, "start");
  }
}

static std::string drawFigure(const Content &content, StringRef title,
                              StringRef remark) {
  Axes axes = chooseAxes(content);
  size_t longest = 4;
  for (const std::string &impl : content.impls)
    longest = std::max(longest, impl.size());
  double panels = double(content.panels.size());
  double legend = left + panels * (panelWidth + gap) - gap + 20;
  std::string text;
  raw_string_ostream os(text);
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:F0}\" "
                "height=\"{1:F0}\" font-family=\"sans-serif\">\n",
                legend + 50 + 8 * double(longest), top + panelHeight + bottom);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  drawText(os, left, 22, title, "start", 16);
  drawText(os, left, 40, remark, "start", 11);
  double x = left;
  for (const auto &[dtype, lines] : content.panels) {
    os << formatv("<g transform=\"translate({0:F0} {1:F0})\">\n", x, top);
    drawFrame(os, axes, dtype);
    // What stands first in the legend is drawn last, over the others.
    for (size_t i = content.impls.size(); i-- > 0;)
      if (auto found = lines.find(content.impls[i]); found != lines.end())
        drawImpl(os, axes, found->second, found->first,
                 colourOf(content.impls, i));
    os << "</g>\n";
    x += panelWidth + gap;
  }
  os << formatv("<g transform=\"translate({0:F0} {1:F0})\">\n", legend, top);
  drawLegend(os, content.impls);
  os << "</g>\n</svg>\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static void add(Content &content, Summary summary) {
  if (!is_contained(content.impls, summary.impl)) {
    bool isFirst = summary.impl == "ours";
    content.impls.insert(isFirst ? content.impls.begin() : content.impls.end(),
                         summary.impl);
  }
  Lines &lines = content.panels[summary.cell.dtype];
  std::vector<Summary> &line = lines[summary.impl];
  line.push_back(std::move(summary));
}

Expected<std::vector<Figure>> quack::drawFigures(const Table &table) {
  std::vector<std::string> gpus = table.gpus();
  if (gpus.size() > 1)
    return createStringError("the table has times of several GPUs (" +
                             join(gpus, ", ") + "): plot each by itself");
  std::map<std::pair<std::string, std::string>, Content> contents;
  for (Summary &summary : summarise(table)) {
    if (!summary.isGood())
      continue;
    Content &content = contents[{summary.cell.op, summary.cell.method}];
    add(content, std::move(summary));
  }
  std::vector<Figure> figures;
  for (const auto &[what, content] : contents) {
    const auto &[op, method] = what;
    std::string name = method == "launch" ? op : op + "-" + method;
    if (!all_of(name,
                [](char c) { return isAlnum(c) || c == '_' || c == '-'; }))
      return createStringError("'" + name +
                               "' cannot be a figure's name: expected letters, "
                               "digits, '_' and '-'");
    std::string title = op + " on " + gpus.front() +
                        (table.isSimulated() ? " (simulated: not a time)" : "");
    std::string remark =
        "TB/s, each input read once and each output written once; bars: 95 % "
        "interval of the median; ";
    remark += method == "launch" ? "single launches, L2 emptied"
                                 : "launches of a graph, rotating buffers";
    figures.push_back({name + ".svg", drawFigure(content, title, remark)});
  }
  return figures;
}

Error quack::writeFigures(ArrayRef<Figure> figures, StringRef folder) {
  if (std::error_code code = sys::fs::create_directories(folder))
    return createStringError("'" + folder + "': " + code.message());
  for (const Figure &figure : figures) {
    SmallString<128> path(folder);
    sys::path::append(path, figure.name);
    Error error = writeToOutput(path, [&](raw_ostream &os) {
      os << figure.svg;
      return Error::success();
    });
    if (error)
      return createStringError("'" + path.str() +
                               "': " + toString(std::move(error)));
  }
  return Error::success();
}
