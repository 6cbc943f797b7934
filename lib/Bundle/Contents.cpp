//===- lib/Bundle/Contents.cpp - what a bundle has --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contents.h"

#include "Names.h"

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace quack;
using namespace quack::bundle;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool Parameter::isShared() const {
  return operand->role == "columns" || operand->role == "single";
}

int64_t Parameter::columns(const KernelMetadata &kernel) const {
  if (operand->hasOwnColumns())
    return operand->columns;
  return operand->role == "row" || operand->role == "columns" ? kernel.columns
                                                              : 1;
}

unsigned Parameter::elementBytes() const {
  return unsigned(getSizeInBytes(*parseStorageType(operand->type)));
}

std::string Parameter::valueType() const {
  return operand->type == "f32"   ? "float"
         : operand->type == "i64" ? "int64_t"
                                  : "int32_t";
}

static std::vector<Parameter> nameParameters(const KernelMetadata &kernel,
                                             StringRef sourceName) {
  Scope scope = makeParameterScope();
  scope.add(("source_" + sourceName).str());
  std::vector<Parameter> parameters;
  for (const OperandMetadata &operand : kernel.operands)
    parameters.push_back({&operand, scope.add(operand.name), ""});
  for (Parameter &parameter : parameters)
    if (!parameter.isValue() && !parameter.isShared())
      parameter.rowStride = scope.add(parameter.operand->name + "_row_stride");
  return parameters;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isAlike(const OperandMetadata &a, const OperandMetadata &b) {
  return a.name == b.name && a.direction == b.direction && a.role == b.role &&
         a.type == b.type && a.columns == b.columns;
}

/// Checks that kernels name others that are there and take the same arguments,
/// and that their names end somewhere.
static Error checkLinks(const ModuleMetadata &metadata) {
  for (const KernelMetadata &kernel : metadata.kernels) {
    auto fail = [&](const Twine &text) {
      return createStringError("kernel '" + kernel.name + "': " + text);
    };
    for (auto [what, link] :
         {std::pair{"otherwise", &KernelMetadata::otherwise},
          std::pair{"next", &KernelMetadata::next}}) {
      const std::string &name = kernel.*link;
      std::vector<const KernelMetadata *> chain =
          link == &KernelMetadata::otherwise ? metadata.variantsOf(kernel.name)
                                             : metadata.stagesOf(kernel.name);
      if (name.empty())
        continue;
      if (chain.size() < 2 && name != kernel.name)
        return fail(Twine("the kernel '") + name + "', which is its " + what +
                    ", is not in the module");
      if (!(chain.back()->*link).empty())
        return fail(Twine("those that it names as ") + what +
                    " go round in a circle");
      if (!std::equal(kernel.operands.begin(), kernel.operands.end(),
                      chain[1]->operands.begin(), chain[1]->operands.end(),
                      isAlike))
        return fail(Twine("the kernel '") + name + "', which is its " + what +
                    ", takes other operands");
    }
    for (const OperandMetadata &operand : kernel.operands)
      if (!parseStorageType(operand.type))
        return fail("operand '" + operand.name + "' has the unknown type " +
                    operand.type);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// Returns the kernels that no other names.
static std::vector<const KernelMetadata *>
findSources(const ModuleMetadata &metadata) {
  StringSet<> named;
  for (const KernelMetadata &kernel : metadata.kernels) {
    named.insert(kernel.otherwise);
    named.insert(kernel.next);
  }
  std::vector<const KernelMetadata *> sources;
  for (const KernelMetadata &kernel : metadata.kernels)
    if (!named.contains(kernel.name))
      sources.push_back(&kernel);
  return sources;
}

Expected<Contents> Contents::create(const BundleParts &parts) {
  if (!parts.name.empty() && !isIdentifier(parts.name))
    return createStringError(
        "the name of a bundle must be a C identifier, got '" + parts.name +
        "'");
  if (Error error = checkLinks(parts.metadata))
    return error;
  std::vector<const KernelMetadata *> kernels = findSources(parts.metadata);
  if (kernels.empty())
    return createStringError("the module has no kernel to launch");
  Contents contents;
  contents.parts = &parts;
  Scope functions, constants;
  for (const KernelMetadata *kernel : kernels) {
    Source source;
    source.name =
        functions.add(parts.name.empty()    ? describeInName(*kernel)
                      : kernels.size() == 1 ? parts.name
                                            : parts.name + "_" + kernel->name);
    source.variants = parts.metadata.variantsOf(kernel->name);
    source.parameters = nameParameters(*kernel, source.name);
    source.hasWorkspace =
        any_of(source.variants, [](const KernelMetadata *variant) {
          return variant->hasWorkspace();
        });
    contents.hasWorkspace |= source.hasWorkspace;
    contents.sources.push_back(std::move(source));
  }
  contents.name =
      parts.name.empty() ? contents.sources.front().name : parts.name;
  for (const KernelMetadata &kernel : parts.metadata.kernels)
    contents.constants.push_back(constants.add("kernel_" + kernel.name));
  return contents;
}

const std::string &Contents::constantOf(StringRef name) const {
  auto isIt = [&](const KernelMetadata &kernel) { return kernel.name == name; };
  const std::vector<KernelMetadata> &kernels = parts->metadata.kernels;
  return constants[find_if(kernels, isIt) - kernels.begin()];
}
