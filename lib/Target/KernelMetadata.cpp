//===- KernelMetadata.cpp - launch metadata as JSON ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the JSON document that accompanies a PTX file. What can be
// derived (the parameter list, the grid) is written for people and not read
// back. Invariant: reading what was written gives the same metadata.
//
//===----------------------------------------------------------------------===//

#include "quack/Target/KernelMetadata.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <initializer_list>
#include <limits>

using namespace llvm;
using namespace quack;

/// Returns how the grid follows from M, for people.
static std::string gridText(const KernelMetadata &kernel) {
  if (kernel.ctas > 0)
    return "(" + std::to_string(kernel.ctas) + ", 1, 1)";
  return std::string("(ceil(M / rows_per_tile) * ") +
         (kernel.split > 1 ? "split * " : "") + "cluster, 1, 1)";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Value operandToJSON(const OperandMetadata &operand) {
  json::Object object{{"name", operand.name},
                      {"direction", operand.direction},
                      {"role", operand.role},
                      {"type", operand.type}};
  if (operand.hasOwnColumns())
    object["columns"] = operand.columns;
  return object;
}

/// Returns the kernel's parameters in order, for people.
static json::Array parameterTexts(const KernelMetadata &kernel) {
  json::Array parameters;
  for (const OperandMetadata &operand : kernel.operands)
    if (operand.role != "value") {
      parameters.push_back(operand.name + ": pointer");
      parameters.push_back(operand.name + "_row_stride: i64 (elements)");
    }
  parameters.push_back("M: i64");
  for (const OperandMetadata &operand : kernel.operands)
    if (operand.role == "value")
      parameters.push_back(operand.name + ": " + operand.type);
  if (kernel.workspaceBytes)
    parameters.push_back(
        "workspace: pointer (M * workspace_bytes_per_row bytes)");
  if (kernel.fixedWorkspaceBytes)
    parameters.push_back("workspace: pointer (workspace_bytes bytes)");
  return parameters;
}

static json::Array guardsToJSON(const KernelMetadata &kernel) {
  json::Array guards;
  for (const OperandMetadata &operand : kernel.operands) {
    if (operand.role == "value" || operand.alignmentBytes <= 1)
      continue;
    json::Array what{"pointer"};
    if (operand.role == "row")
      what.push_back("row stride in bytes");
    guards.push_back(json::Object{{"operand", operand.name},
                                  {"what", std::move(what)},
                                  {"multiple_of", operand.alignmentBytes}});
  }
  return guards;
}

json::Value KernelMetadata::toJSON() const {
  json::Array abi;
  for (const OperandMetadata &operand : operands)
    abi.push_back(operandToJSON(operand));
  json::Object object{
      {"name", name},
      {"columns", columns},
      {"threads", threads},
      {"cluster", cluster},
      {"rows_per_tile", rowsPerTile},
      {"shared_bytes", sharedBytes},
      {"grid", gridText(*this)},
      {"abi", json::Object{{"operands", std::move(abi)},
                           {"parameters", parameterTexts(*this)}}},
      {"guards", guardsToJSON(*this)},
      {"plan", plan}};
  if (!otherwise.empty())
    object["otherwise"] = otherwise;
  if (leastRows)
    object["least_rows"] = leastRows;
  if (split > 1)
    object["split"] = split;
  if (workspaceBytes)
    object["workspace_bytes_per_row"] = workspaceBytes;
  if (fixedWorkspaceBytes)
    object["workspace_bytes"] = fixedWorkspaceBytes;
  if (partials)
    object["partials"] = partials;
  if (ctas)
    object["ctas"] = ctas;
  if (!next.empty())
    object["next"] = next;
  return object;
}

/// Returns the kernel called `name` and those that `link` leads to from there.
static std::vector<const KernelMetadata *>
followLinks(ArrayRef<KernelMetadata> kernels, StringRef name,
            std::string KernelMetadata::*link) {
  std::vector<const KernelMetadata *> chain;
  // No more than there are kernels: a circle of names ends.
  while (!name.empty() && chain.size() < kernels.size()) {
    auto found = llvm::find_if(kernels, [&](const KernelMetadata &kernel) {
      return kernel.name == name;
    });
    if (found == kernels.end())
      break;
    chain.push_back(&*found);
    name = *found.*link;
  }
  return chain;
}

std::vector<const KernelMetadata *>
ModuleMetadata::variantsOf(StringRef name) const {
  return followLinks(kernels, name, &KernelMetadata::otherwise);
}

std::vector<const KernelMetadata *>
ModuleMetadata::stagesOf(StringRef name) const {
  return followLinks(kernels, name, &KernelMetadata::next);
}

json::Value ModuleMetadata::toJSON() const {
  json::Array list;
  for (const KernelMetadata &kernel : kernels)
    list.push_back(kernel.toJSON());
  return json::Object{{"compiler", "quack " QUACK_VERSION},
                      {"chip", chip},
                      {"ptx_version", ptxVersion},
                      {"kernels", std::move(list)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the string `key`, which must be one of `choices`.
static bool mapChoice(json::ObjectMapper &mapper, StringLiteral key,
                      std::string &value, json::Path path,
                      std::initializer_list<StringRef> choices,
                      StringLiteral expected) {
  if (!mapper.map(key, value))
    return false;
  if (llvm::is_contained(choices, value))
    return true;
  path.field(key).report(expected);
  return false;
}

/// Reads the integer `key`, which must lie between `least` and `most`.
static bool mapCount(json::ObjectMapper &mapper, StringLiteral key,
                     int64_t &value, json::Path path, int64_t least,
                     int64_t most) {
  if (!mapper.map(key, value))
    return false;
  if (value >= least && value <= most)
    return true;
  path.field(key).report("out of range");
  return false;
}

namespace quack {
static bool fromJSON(const json::Value &json, OperandMetadata &operand,
                     json::Path path) {
  json::ObjectMapper mapper(json, path);
  return mapper && mapper.map("name", operand.name) &&
         mapChoice(mapper, "direction", operand.direction, path,
                   {"in", "out", "inout"}, "expected in, out or inout") &&
         mapChoice(
             mapper, "role", operand.role, path,
             {"row", "columns", "scalar", "single", "value", "groups", "picks"},
             "expected row, columns, scalar, single, value, groups or picks") &&
         (!operand.hasOwnColumns() ||
          mapCount(mapper, "columns", operand.columns, path, 1,
                   std::numeric_limits<int64_t>::max())) &&
         mapChoice(
             mapper, "type", operand.type, path,
             {"f32", "bf16", "f16", "f8E4M3FN", "f8E5M2", "i8", "i32", "i64"},
             "expected f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64");
}
} // namespace quack

namespace {
/// A demand on the alignment of one operand.
struct Guard {
  std::string operand;
  int64_t multipleOf = 1;

  friend bool fromJSON(const json::Value &json, Guard &guard, json::Path path) {
    json::ObjectMapper mapper(json, path);
    return mapper && mapper.map("operand", guard.operand) &&
           mapCount(mapper, "multiple_of", guard.multipleOf, path, 1, 4096);
  }
};

/// The part of a kernel that describes its operands.
struct Abi {
  std::vector<OperandMetadata> operands;

  friend bool fromJSON(const json::Value &json, Abi &abi, json::Path path) {
    json::ObjectMapper mapper(json, path);
    return mapper && mapper.map("operands", abi.operands);
  }
};
} // namespace

/// Copies the guards' demands to the operands that they name.
static bool applyGuards(const std::vector<Guard> &guards,
                        std::vector<OperandMetadata> &operands,
                        json::Path path) {
  for (const auto &[index, guard] : llvm::enumerate(guards)) {
    auto found = llvm::find_if(
        operands, [&, name = guard.operand](const OperandMetadata &operand) {
          return operand.name == name;
        });
    if (found == operands.end()) {
      path.index(index).field("operand").report("names no operand of the abi");
      return false;
    }
    found->alignmentBytes = guard.multipleOf;
  }
  return true;
}

namespace quack {
static bool fromJSON(const json::Value &json, KernelMetadata &kernel,
                     json::Path path) {
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  Abi abi;
  std::vector<Guard> guards;
  json::ObjectMapper mapper(json, path);
  if (!mapper || !mapper.map("name", kernel.name) ||
      !mapCount(mapper, "columns", kernel.columns, path, 1, any) ||
      !mapCount(mapper, "threads", kernel.threads, path, 1, 1024) ||
      !mapCount(mapper, "cluster", kernel.cluster, path, 1, 16) ||
      !mapCount(mapper, "rows_per_tile", kernel.rowsPerTile, path, 1, any) ||
      !mapCount(mapper, "shared_bytes", kernel.sharedBytes, path, 0, any) ||
      !mapper.map("abi", abi) || !mapper.map("guards", guards) ||
      !mapper.map("plan", kernel.plan) ||
      !mapper.mapOptional("otherwise", kernel.otherwise) ||
      !mapper.mapOptional("next", kernel.next) ||
      !mapper.mapOptional("split", kernel.split) ||
      !mapper.mapOptional("least_rows", kernel.leastRows) ||
      !mapper.mapOptional("workspace_bytes_per_row", kernel.workspaceBytes) ||
      !mapper.mapOptional("workspace_bytes", kernel.fixedWorkspaceBytes) ||
      !mapper.mapOptional("partials", kernel.partials) ||
      !mapper.mapOptional("ctas", kernel.ctas))
    return false;
  auto refuse = [&](StringLiteral key) {
    path.field(key).report("out of range");
    return false;
  };
  if (kernel.split < 1)
    return refuse("split");
  if (kernel.workspaceBytes < 0)
    return refuse("workspace_bytes_per_row");
  if (kernel.fixedWorkspaceBytes < 0)
    return refuse("workspace_bytes");
  if (kernel.partials < 0)
    return refuse("partials");
  if (kernel.ctas < 0 || kernel.ctas > std::numeric_limits<int32_t>::max() ||
      kernel.ctas % kernel.cluster != 0)
    return refuse("ctas");
  if (kernel.leastRows < 0)
    return refuse("least_rows");
  kernel.operands = std::move(abi.operands);
  return applyGuards(guards, kernel.operands, path.field("guards"));
}
} // namespace quack

Expected<KernelMetadata> KernelMetadata::fromJSON(const json::Value &json) {
  json::Path::Root root("kernel metadata");
  KernelMetadata kernel;
  if (!quack::fromJSON(json, kernel, root))
    return root.getError();
  return kernel;
}

Expected<ModuleMetadata> ModuleMetadata::fromJSON(const json::Value &json) {
  json::Path::Root root("launch metadata");
  ModuleMetadata module;
  json::ObjectMapper mapper(json, root);
  if (!mapper || !mapper.map("chip", module.chip) ||
      !mapper.map("ptx_version", module.ptxVersion) ||
      !mapper.map("kernels", module.kernels))
    return root.getError();
  return module;
}
