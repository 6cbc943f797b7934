//===- lib/Bundle/Header.cpp - a bundle's declarations ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contents.h"
#include "Texts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace llvm;
using namespace quack;
using namespace quack::bundle;

const StringLiteral quack::bundle::headerText = R"c(
/* @FILE@.h - row reductions on the GPU, launched through the CUDA driver
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by quack; not to be edited. Compile the C file of the same name with it, as C99 or later,
 * for Linux, and link with -pthread (before glibc 2.34 with -ldl, too). That needs no CUDA
 * toolkit; at run time libcuda.so.1, of CUDA 12.0 or later, is found by dlopen.
 *
 * For each kernel there are
 *
 *   KERNEL_launch           launches it for `rows` rows, and returns 0 or an error
@if workspace
 *   KERNEL_workspace_bytes  returns how much workspace that takes, if the kernel takes any
@end
 *   KERNEL_prepare          loads it, which the first launch does otherwise; 0 or an error
 *   KERNEL_last_error       returns what went wrong last in the calling thread: a text that
 *                           is good until something does again, "" if nothing has
 *
 * Threads, contexts, streams. Any number of threads may call at once. Launches are in the CUDA
 * context that is current in the calling thread, as cudaSetDevice or cuCtxSetCurrent leaves it,
 * and on `stream`, a CUstream or cudaStream_t of that context (NULL: the legacy default stream).
 * Nothing waits for the GPU or allocates memory on it, but for the kernels' code, which is
 * loaded once in each context and stays until that ends.
 *
 * CUDA graphs. Launches may be captured, the first one too. Drivers before CUDA 12.3 load
 * nothing during a capture: with them KERNEL_prepare must come before it.
 *
 * Memory. Operands are addresses in memory that the GPU can access. A row's elements lie side by
 * side, and OPERAND_row_stride is the distance from one row's first element to the next one's,
 * in elements: as many as a row has where rows are contiguous, 0 where there is one row for all,
 * which is read. Each row is read before it is written, so rows may be updated in place: an
 * operand that is written may be one that is read, of the same type and row stride. Otherwise
 * what is written must overlap nothing else.
 */

#ifndef QUACK_BUNDLE_@FILE@_H
#define QUACK_BUNDLE_@FILE@_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef QUACK_BUNDLE_STATUS
#define QUACK_BUNDLE_STATUS
/* What functions of bundles return: 0, one of these, or the driver's error, a CUresult (> 0). */
enum {
  QUACK_BUNDLE_INVALID_ARGUMENT = -1, /* nothing was launched */
  QUACK_BUNDLE_NO_DRIVER = -2,        /* no libcuda.so.1, or one before CUDA 12.0 */
  QUACK_BUNDLE_NOT_PREPARED = -3,     /* a first launch in a capture, driver before 12.3 */
  QUACK_BUNDLE_OUT_OF_MEMORY = -4     /* of the host */
};
#endif
@SOURCES@

#ifdef __cplusplus
}
#endif

#endif /* QUACK_BUNDLE_@FILE@_H */
)c";

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::vector<std::string>
quack::bundle::declareParameters(const Source &source) {
  std::vector<std::string> list = {"void *stream", "int64_t rows"};
  for (const Parameter &parameter : source.parameters) {
    if (parameter.isValue()) {
      list.push_back(parameter.valueType() + " " + parameter.name);
      continue;
    }
    list.push_back((parameter.isWritten() ? "void *" : "const void *") +
                   parameter.name);
    if (!parameter.rowStride.empty())
      list.push_back("int64_t " + parameter.rowStride);
  }
  if (source.hasWorkspace) {
    list.push_back("void *workspace");
    list.push_back("size_t workspace_bytes");
  }
  return list;
}

std::string quack::bundle::joinParameters(StringRef head,
                                          ArrayRef<std::string> parameters) {
  constexpr size_t width = 96;
  std::string text = head.str(), indent(head.size(), ' ');
  size_t column = head.size();
  for (const std::string &parameter : parameters) {
    bool isFirst = &parameter == &parameters.front();
    // What follows it: a comma, or a bracket and a brace or semicolon.
    bool breaks = !isFirst && column + 2 + parameter.size() + 3 > width;
    std::string separator = isFirst ? "" : breaks ? ",\n" + indent : ", ";
    column = breaks ? indent.size() : column + separator.size();
    column += parameter.size();
    text += separator + parameter;
  }
  return text + ")";
}

//===----------------------------------------------------------------------===//
// What an operand is
//===----------------------------------------------------------------------===//

static std::string describe(const Parameter &parameter,
                            const KernelMetadata &kernel) {
  const OperandMetadata &operand = *parameter.operand;
  int64_t columns = parameter.columns(kernel);
  bool isSum = parameter.isShared() && parameter.isWritten();
  if (operand.role == "row")
    return formatv("{0} {1} a row", columns, operand.type);
  if (operand.role == "scalar")
    return formatv("1 {0} a row", operand.type);
  if (operand.role == "groups")
    return formatv("{0} {1} a row, one for each group of columns", columns,
                   operand.type);
  if (operand.role == "picks")
    return formatv("{0} {1} a row, one for each picked element", columns,
                   operand.type);
  if (operand.role == "value")
    return formatv("a number, {0}", operand.type);
  return formatv("{0} {1}, {2}", columns, operand.type,
                 isSum ? "a sum over all rows" : "for all rows");
}

/// Returns what the address, and the row stride of a row, must be multiples of.
static std::string describeAlignment(const Source &source, size_t operand) {
  int64_t best = source.kernel().operands[operand].alignmentBytes;
  int64_t least = source.variants.back()->operands[operand].alignmentBytes;
  std::string text = formatv("aligned to {0}", least);
  return least == best ? text : text + formatv(", better to {0}", best).str();
}

/// Returns a line for each operand, in columns.
static std::string describeOperands(const Source &source) {
  std::vector<std::array<std::string, 4>> lines;
  std::array<size_t, 4> widths = {};
  for (auto [index, parameter] : enumerate(source.parameters)) {
    lines.push_back(
        {parameter.name, parameter.operand->direction,
         describe(parameter, source.kernel()),
         parameter.isValue() ? "" : describeAlignment(source, index)});
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], lines.back()[i].size());
  }
  std::string text;
  for (const std::array<std::string, 4> &line : lines) {
    std::string row = " * ";
    for (size_t i = 0; i < widths.size(); ++i)
      row += "  " + line[i] + std::string(widths[i] - line[i].size(), ' ');
    text += StringRef(row).rtrim().str() + "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// What a launch is
//===----------------------------------------------------------------------===//

static std::string countElements(const Source &source) {
  int64_t columns = source.kernel().columns;
  return std::to_string(columns) + (columns == 1 ? " element" : " elements");
}

/// Returns `text` as lines of a comment, after an empty one.
static std::string wrap(StringRef text) {
  constexpr size_t width = 98;
  std::string result = " *\n *";
  size_t column = 2;
  for (StringRef word : split(text, ' ')) {
    bool breaks = column + 1 + word.size() > width;
    result += (breaks ? "\n * " : " ") + word.str();
    column = (breaks ? 2 : column) + 1 + word.size();
  }
  return result + "\n";
}

/// Returns what there is to know of a launch, beside its operands.
static std::string describeLaunch(const Source &source) {
  std::string sums;
  for (const Parameter &parameter : source.parameters)
    if (parameter.isShared() && parameter.isWritten())
      sums += (sums.empty() ? "" : ", ") + parameter.name;
  std::string text =
      wrap("Alignments are in bytes: of addresses and, where a row has " +
           countElements(source) + ", of row strides.");
  if (source.kernel().ctas == 0)
    text += wrap(
        "With no rows nothing is launched, and operands are not looked at.");
  else if (!sums.empty())
    text += wrap("With no rows the sums over them, " + sums +
                 ", become 0, and operands that rows have are not looked at.");
  if (int64_t least = source.variants.back()->leastRows)
    text += wrap("There must be at least " + std::to_string(least) + " rows.");
  if (source.hasWorkspace)
    text += wrap("The workspace is memory of the GPU, at a multiple of 16, of "
                 "any contents, and is "
                 "the launch's until that is over. It may be NULL where it has "
                 "no bytes.");
  return text;
}

std::string quack::bundle::declareSource(const Source &source) {
  std::string text;
  raw_string_ostream os(text);
  os << "\n/* " << source.kernel().name << ", of rows of "
     << countElements(source) << ":\n *\n"
     << describeOperands(source) << describeLaunch(source) << " */\n"
     << joinParameters("int " + source.name + "_launch(",
                       declareParameters(source))
     << ";\n";
  if (source.hasWorkspace)
    os << "size_t " << source.name << "_workspace_bytes(int64_t rows);\n";
  os << "int " << source.name << "_prepare(void);\n"
     << "const char *" << source.name << "_last_error(void);\n";
  return text;
}
