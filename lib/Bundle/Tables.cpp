//===- lib/Bundle/Tables.cpp - a bundle's definitions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contents.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack;
using namespace quack::bundle;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Returns the guards of a variant's operands in memory.
static std::string guardsOf(const KernelMetadata &kernel) {
  std::string text;
  for (const OperandMetadata &operand : kernel.operands) {
    if (operand.role == "value")
      continue;
    int64_t ofStride = operand.role == "row" ? operand.alignmentBytes : 1;
    text += formatv("{0}{{{1}, {2}}", text.empty() ? "" : ", ",
                    operand.alignmentBytes, ofStride);
  }
  return text;
}

static void defineKernel(const Contents &contents, const KernelMetadata &kernel,
                         raw_ostream &os) {
  auto field = [&](StringRef name, const Twine &value) {
    os << "        ." << name << " = " << value << ",\n";
  };
  auto number = [&](StringRef name, int64_t value) {
    if (value)
      field(name, Twine(value));
  };
  auto link = [&](StringRef name, StringRef to) {
    if (!to.empty())
      field(name, "&kernels[" + contents.constantOf(to) + "]");
  };
  os << "    [" << contents.constantOf(kernel.name) << "] = {\n";
  field("name", quote(kernel.name));
  number("rows_per_tile", kernel.rowsPerTile);
  number("ctas_per_tile", kernel.cluster * kernel.split);
  number("ctas", kernel.ctas);
  number("threads", kernel.threads);
  number("cluster", kernel.cluster);
  number("shared_bytes", kernel.sharedBytes);
  number("workspace_bytes", kernel.fixedWorkspaceBytes);
  number("workspace_bytes_per_row", kernel.workspaceBytes);
  number("least_rows", kernel.leastRows);
  field("guards", "(const struct guard[]){" + guardsOf(kernel) + "}");
  link("otherwise", kernel.otherwise);
  link("next", kernel.next);
  os << "    },\n";
}

static void defineOperands(const Source &source, raw_ostream &os) {
  os << "\nstatic const struct operand operands_of_" << source.name
     << "[] = {\n"
     << "    /* name, columns, bytes of an element, is_shared, is_written */\n";
  for (const Parameter &parameter : source.parameters) {
    if (parameter.isValue())
      continue;
    os << "    {" << quote(parameter.operand->name) << ", "
       << parameter.columns(source.kernel()) << ", " << parameter.elementBytes()
       << ", " << (parameter.isShared() ? "true" : "false") << ", "
       << (parameter.isWritten() ? "true" : "false") << "},\n";
  }
  os << "};\n";
}

std::string quack::bundle::defineTables(const Contents &contents) {
  std::string text;
  raw_string_ostream os(text);
  os << "enum {\n";
  for (const std::string &constant : contents.constants)
    os << "  " << constant << ",\n";
  os << "  kernel_count\n};\n\nstatic const struct kernel "
        "kernels[kernel_count] = {\n";
  for (const KernelMetadata &kernel : contents.parts->metadata.kernels)
    defineKernel(contents, kernel, os);
  os << "};\n";
  for (const Source &source : contents.sources) {
    defineOperands(source, os);
    auto count =
        llvm::count_if(source.parameters, [](const Parameter &parameter) {
          return !parameter.isValue();
        });
    os << "\nstatic const struct source source_" << source.name
       << " = {\n    .name = " << quote(source.name)
       << ",\n    .operands = operands_of_" << source.name
       << ",\n    .operand_count = " << count << ",\n    .kernel = &kernels["
       << contents.constantOf(source.kernel().name) << "],\n};\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns the addresses of a kernel's parameters, in the order of its ABI.
static std::vector<std::string> addressesOf(const Source &source) {
  std::vector<std::string> list;
  for (const Parameter &parameter : source.parameters)
    if (!parameter.isValue()) {
      list.push_back("&" + parameter.name);
      list.push_back(parameter.rowStride.empty() ? "&no_row_stride"
                                                 : "&" + parameter.rowStride);
    }
  list.push_back("&rows");
  for (const Parameter &parameter : source.parameters)
    if (parameter.isValue())
      list.push_back("&" + parameter.name);
  if (source.hasWorkspace)
    list.push_back("&workspace");
  return list;
}

std::string quack::bundle::defineSource(const Source &source,
                                        bool takesWorkspace) {
  std::string text;
  raw_string_ostream os(text);
  std::string variable = "source_" + source.name;
  os << "\n"
     << joinParameters("int " + source.name + "_launch(",
                       declareParameters(source))
     << " {\n";
  if (any_of(source.parameters,
             [](const Parameter &p) { return p.isShared(); }))
    os << "  int64_t no_row_stride = 0;\n";
  std::string list =
      joinParameters("  void *parameters[] = {", addressesOf(source));
  list.back() = '}';
  std::vector<std::string> arguments = {"&" + variable, "stream", "rows",
                                        "parameters"};
  if (source.hasWorkspace)
    llvm::append_values(arguments, "workspace", "workspace_bytes");
  else if (takesWorkspace)
    llvm::append_values(arguments, "NULL", "0");
  os << list << ";\n"
     << joinParameters("  return launch(", arguments) << ";\n}\n";
  if (source.hasWorkspace)
    os << "\nsize_t " << source.name << "_workspace_bytes(int64_t rows) {\n"
       << "  return largest_workspace(&" << variable << ", rows);\n}\n";
  os << "\nint " << source.name
     << "_prepare(void) {\n  const struct loaded *loaded;\n"
     << "  return get_loaded(&" << variable << ", NULL, &loaded);\n}\n";
  os << "\nconst char *" << source.name
     << "_last_error(void) { return error_text; }\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

std::string quack::bundle::quote(StringRef text) {
  std::string quoted = "\"";
  for (char c : text)
    switch (c) {
    case '\n':
      quoted += "\\n";
      break;
    case '\t':
      quoted += "\\t";
      break;
    case '"':
    case '\\':
    case '?': // two are the beginning of a trigraph
      quoted += '\\';
      [[fallthrough]];
    default:
      quoted += c;
    }
  return quoted + "\"";
}

std::vector<StringRef> quack::bundle::splitLines(StringRef text) {
  constexpr size_t longest = 4095; // C99 5.2.4.1
  std::vector<StringRef> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    size_t length = end == StringRef::npos ? text.size() : end + 1;
    lines.push_back(text.take_front(std::min(length, longest)));
    text = text.drop_front(lines.back().size());
  }
  return lines;
}

std::string quack::bundle::listLines(ArrayRef<StringRef> lines) {
  std::string text;
  for (StringRef line : lines)
    text += "    " + quote(line) + ",\n";
  return text;
}

std::string quack::bundle::listBytes(StringRef bytes) {
  std::string text;
  for (auto [index, byte] : enumerate(bytes)) {
    text += index == 0 ? "    " : index % 16 == 0 ? "\n    " : " ";
    text += std::to_string(uint8_t(byte)) + ",";
  }
  return text;
}
