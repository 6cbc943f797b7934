//===- lib/Plan/PinParts.cpp - whose pins are whose -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pin option has parts for all kernels of a module and for some by name. What fields
// mean is no matter here.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Pins.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace quack;

namespace {
/// One part of a pin option: `@name: fields`, or fields alone.
struct Part {
  StringRef text;          ///< all of it
  StringRef name, fields;  ///< no name: for all kernels
  std::string wrong;       ///< what was expected, if it is no part
};
} // namespace

static Part readPart(StringRef text) {
  Part part;
  part.text = text;
  part.fields = text;
  auto [before, after] = text.split(':');
  bool hasColon = text.contains(':');
  if (!text.starts_with("@")) {
    if (hasColon)
      part.wrong = ("expected '@' before the name '" + before.trim() + "'").str();
    return part;
  }
  part.name = before.drop_front().trim();
  part.fields = after.trim();
  if (!hasColon)
    part.wrong = "expected ':' between a kernel's name and its fields";
  else if (part.name.empty())
    part.wrong = "expected a kernel's name behind '@'";
  else if (part.fields.empty())
    part.wrong = ("expected plan fields behind '@" + part.name + ":'").str();
  return part;
}

/// Returns whether `part` names a kernel of `module`, or says which there are.
static LogicalResult verifyName(const Part &part, ModuleOp module) {
  SmallVector<std::string> names;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    if (kernel.getSymName() == part.name)
      return success();
    names.push_back(("@" + kernel.getSymName()).str());
  }
  return module.emitError("pin '")
         << part.text << "': no kernel is called @" << part.name << "; "
         << (names.empty() ? "there is none"
                           : "the kernels are " + llvm::join(names, ", "));
}

FailureOr<Pins> quack::parsePins(StringRef text, ModuleOp module) {
  Pins pins;
  pins.forAll = noPins(module.getContext());
  text = text.trim();
  if (text.empty())
    return pins;
  SmallVector<StringRef> parts;
  text.split(parts, ';');
  std::string forAll;
  for (StringRef piece : parts) {
    Part part = readPart(piece.trim());
    auto fail = [&](const Twine &why) {
      return module.emitError("pin '") << part.text << "': " << why;
    };
    if (part.text.empty())
      return module.emitError("pin '")
             << text << "': expected '@kernel: fields' before and behind each ';'";
    if (!part.wrong.empty())
      return fail(part.wrong + "; write for example '@main_0: threads = 256, cluster = 4'");
    FailureOr<tv::PlanAttr> fields = parsePinFields(part.fields, module);
    if (failed(fields))
      return failure();
    if (part.name.empty()) {
      if (!forAll.empty())
        return fail("all kernels have the pin '" + forAll +
                    "' already; name a kernel, '@kernel: " + part.fields +
                    "', or join both by a comma");
      forAll = part.fields.str();
      pins.forAll = *fields;
      continue;
    }
    if (failed(verifyName(part, module)))
      return failure();
    if (!pins.byName.try_emplace(part.name, *fields).second)
      return fail("@" + part.name +
                  " is pinned already; join all of its fields by commas in one part");
  }
  return pins;
}

FailureOr<tv::PlanAttr> Pins::of(KernelOp kernel) const {
  auto named = byName.find(kernel.getSymName());
  return named == byName.end() ? FailureOr<tv::PlanAttr>(forAll)
                               : mergePins(kernel, forAll, named->second);
}

std::string quack::printablePins(StringRef text) {
  // MLIR puts braces around an option with blanks, but only if the first one stands before
  // all braces of its own.
  bool isPlain = !text.contains(' ') || text.starts_with(" ");
  return isPlain ? text.str() : (" " + text).str();
}
