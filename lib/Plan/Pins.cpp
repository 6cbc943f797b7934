//===- lib/Plan/Pins.cpp - what users fix of a plan -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pin by itself is judged where it is read; here pins meet a kernel, a target
// and each other. They are taken apart by name, whatever fields a plan has.
// Where they cannot be kept, the enumerator is asked again with fewer of them,
// and with other values.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Pins.h"

#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Fields by name
//===----------------------------------------------------------------------===//

/// Reads a plan's fields; null, and the parser's `reason`, if they are none.
static tv::PlanAttr readFields(StringRef text, MLIRContext *context,
                               std::string &reason) {
  // The parser's place is one in a text that the user did not write.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  // The line's end keeps a comment from hiding the bracket.
  Attribute plan =
      parseAttribute(("#quack_tv.plan<" + text + "\n>").str(), context);
  return dyn_cast_or_null<tv::PlanAttr>(plan);
}

tv::PlanAttr quack::noPins(MLIRContext *context) {
  std::string reason;
  return readFields("", context, reason);
}

/// Returns which bracket of pins has no other; empty if none. Only braces may
/// stand there, and not in each other.
static std::string describeBrackets(StringRef text) {
  bool isOpen = false, isQuoted = false;
  for (char c : text) {
    isQuoted ^= c == '"';
    if (isQuoted || !StringRef("{}<>()[]").contains(c))
      continue;
    if (c != (isOpen ? '}' : '{'))
      return std::string("unexpected '") + c + "'";
    isOpen = !isOpen;
  }
  return isOpen ? "expected '}' at the end" : "";
}

FailureOr<tv::PlanAttr> quack::parsePinFields(StringRef text, Operation *op) {
  std::string reason;
  if (tv::PlanAttr plan = readFields(text, op->getContext(), reason))
    return plan;
  // The parser would speak of brackets that the user did not write.
  if (std::string brackets = describeBrackets(text); !brackets.empty())
    reason = brackets;
  InFlightDiagnostic error = op->emitError("pin '") << text << "': " << reason;
  if (!StringRef(reason).contains("plan field"))
    error << "; write for example 'threads = 256, cluster = 4'";
  return error;
}

namespace {
/// One pinned field, or one operand's entry of it.
struct Pin {
  std::string field, operand; ///< "hold", "x"; no operand for most
  std::string value;

  std::string name() const {
    return operand.empty() ? field : field + " of " + operand;
  }
  std::string text() const { return name() + " = " + value; }
  bool isSameAs(const Pin &other) const {
    return field == other.field && operand == other.operand;
  }
};
} // namespace

/// Takes a plan apart as it is printed: `a = 1, hold = {x = packed, y = bulk}`.
static SmallVector<Pin> pinsOf(tv::PlanAttr plan) {
  std::string text;
  llvm::raw_string_ostream(text) << plan;
  StringRef rest = StringRef(text).split('<').second.drop_back();
  SmallVector<Pin> pins;
  while (!rest.empty()) {
    auto [field, after] = rest.split(" = ");
    bool isList = after.consume_front("{");
    auto [value, next] = after.split(isList ? '}' : ',');
    rest = isList ? next.ltrim(", ") : next.ltrim();
    if (!isList) {
      pins.push_back({field.str(), "", value.str()});
      continue;
    }
    for (StringRef entry : llvm::split(value, ", ")) {
      auto [operand, choice] = entry.split(" = ");
      pins.push_back({field.str(), operand.str(), choice.str()});
    }
  }
  return pins;
}

/// Puts pins together; entries of one field follow each other.
static std::string textOf(ArrayRef<Pin> pins) {
  std::string text;
  for (size_t i = 0; i < pins.size(); ++i) {
    const Pin &pin = pins[i];
    bool isEntry = !pin.operand.empty();
    bool isFirst = i == 0 || pins[i - 1].field != pin.field;
    bool isLast = i + 1 == pins.size() || pins[i + 1].field != pin.field;
    text += i == 0 ? "" : ", ";
    if (isFirst)
      text += pin.field + " = " + (isEntry ? "{" : "");
    text += (isEntry ? pin.operand + " = " : "") + pin.value;
    text += isEntry && isLast ? "}" : "";
  }
  return text;
}

/// Returns the values that a field may have besides the pinned one.
static SmallVector<std::string> otherValuesOf(const Pin &pin) {
  SmallVector<std::string> values;
  for (int64_t number : tv::planNumber(pin.field).values)
    values.push_back(std::to_string(number));
  if (pin.field == "split" || pin.field == "partials")
    values = {"1", "2", "4", "8", "16", "32", "64", "128"};
  if (pin.field == "reproducible" || pin.field == "overlap")
    values = {"false", "true"};
  if (pin.field == "kept")
    values = {"0", "4", "8", "16", "32", "64", "128"};
  auto add = [&](StringRef field, auto stringify, unsigned last) {
    for (unsigned i = 0; pin.field == field && i <= last; ++i)
      values.push_back(stringify(i).str());
  };
  add(
      "alignment",
      [](unsigned i) { return stringifyAlignment(tv::Alignment(i)); },
      tv::getMaxEnumValForAlignment());
  add(
      "exchange", [](unsigned i) { return stringifyExchange(tv::Exchange(i)); },
      tv::getMaxEnumValForExchange());
  add(
      "hold", [](unsigned i) { return stringifyHold(tv::Hold(i)); },
      tv::getMaxEnumValForHold());
  add(
      "load", [](unsigned i) { return stringifyLoadPolicy(tv::LoadPolicy(i)); },
      tv::getMaxEnumValForLoadPolicy());
  add(
      "store",
      [](unsigned i) { return stringifyStorePolicy(tv::StorePolicy(i)); },
      tv::getMaxEnumValForStorePolicy());
  llvm::erase(values, pin.value);
  return values;
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

/// Checks that the operands which one of the pins' lists names are memref
/// operands of the kernel that are loaded (or stored).
static LogicalResult verifyPinnedNames(KernelOp kernel, DictionaryAttr dict,
                                       StringRef field, Direction excluded) {
  SmallVector<StringRef> allowed;
  for (BlockArgument arg : kernel.getBody().getArguments())
    if (OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
        isa<MemRefType>(arg.getType()) && spec.getDirection() != excluded)
      allowed.push_back(spec.getName().getValue());
  for (NamedAttribute entry :
       dict ? dict.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = entry.getName();
    if (llvm::is_contained(allowed, name))
      continue;
    BlockArgument arg = kernel.lookupOperand(name);
    bool isThere = arg && isa<MemRefType>(arg.getType());
    InFlightDiagnostic error = kernel.emitOpError("plan field '")
                               << field << "' must not name '" << name
                               << "', which is "
                               << (isThere ? stringifyDirection(excluded)
                                           : "no memref operand of the kernel");
    if (!allowed.empty())
      error << "; it may name " << llvm::join(allowed, ", ");
    return error;
  }
  return success();
}

std::pair<std::string, std::string> quack::findConflict(tv::PlanAttr one,
                                                        tv::PlanAttr other) {
  for (const Pin &pin : pinsOf(one))
    for (const Pin &rival : pinsOf(other))
      if (pin.isSameAs(rival) && pin.value != rival.value)
        return {pin.text(), rival.text()};
  return {};
}

FailureOr<tv::PlanAttr> quack::mergePins(KernelOp kernel, tv::PlanAttr under,
                                         tv::PlanAttr over) {
  SmallVector<Pin> merged, upper = pinsOf(over);
  for (const Pin &pin : pinsOf(under))
    if (llvm::none_of(upper,
                      [&](const Pin &other) { return pin.isSameAs(other); }))
      merged.push_back(pin);
  llvm::append_range(merged, upper);
  llvm::stable_sort(merged, [](const Pin &lhs, const Pin &rhs) {
    return lhs.field < rhs.field;
  });
  std::string reason;
  if (tv::PlanAttr plan =
          readFields(textOf(merged), kernel.getContext(), reason))
    return plan;
  return kernel.emitOpError("and the pins given contradict each other: ")
         << reason;
}

FailureOr<tv::PlanAttr> quack::collectPins(KernelOp kernel, tv::PlanAttr pins) {
  if (Attribute given = kernel.getPlanAttr()) {
    auto plan = dyn_cast<tv::PlanAttr>(given);
    if (!plan)
      return kernel.emitOpError("plan must be a #quack_tv.plan, got ") << given;
    FailureOr<tv::PlanAttr> merged = mergePins(kernel, plan, pins);
    if (failed(merged))
      return failure();
    pins = *merged;
  }
  if (failed(
          verifyPinnedNames(kernel, pins.getHold(), "hold", Direction::out)) ||
      failed(
          verifyPinnedNames(kernel, pins.getLoad(), "load", Direction::out)) ||
      failed(
          verifyPinnedNames(kernel, pins.getStore(), "store", Direction::in)))
    return failure();
  return pins;
}

tv::PlanAttr quack::pinsForAnyStart(tv::PlanAttr pins) {
  SmallVector<Pin> kept;
  for (const Pin &pin : pinsOf(pins))
    if (pin.field != "alignment" && pin.field != "overlap" && pin.value != "async" &&
        pin.value != "bulk")
      kept.push_back(pin);
  kept.push_back({"alignment", "", "element"});
  std::string reason;
  return readFields(textOf(kept), pins.getContext(), reason);
}

//===----------------------------------------------------------------------===//
// Which are at fault
//===----------------------------------------------------------------------===//

namespace {
/// Asks for plans that keep some of the pins.
class Inquiry {
public:
  Inquiry(KernelOp kernel, const KernelTraits &traits, const Target &target)
      : kernel(kernel), traits(traits), target(target) {}

  void report(ArrayRef<Pin> pins);

private:
  /// Returns whether there is a plan that keeps `pins`.
  bool isLegal(ArrayRef<Pin> pins);
  SmallVector<Pin> findFaulty(ArrayRef<Pin> pins);
  std::string remedyFor(ArrayRef<Pin> pins, const Pin &faulty);

  KernelOp kernel;
  const KernelTraits &traits;
  const Target &target;
  std::string whyNot; ///< after a question that was answered by no
};
} // namespace

bool Inquiry::isLegal(ArrayRef<Pin> pins) {
  whyNot.clear();
  tv::PlanAttr plan = readFields(textOf(pins), kernel.getContext(), whyNot);
  return plan && !enumeratePlans(traits, target, plan, whyNot).empty();
}

/// Returns pins that cannot be kept together, each of which is needed for that;
/// one that is illegal by itself first of all.
SmallVector<Pin> Inquiry::findFaulty(ArrayRef<Pin> pins) {
  for (const Pin &pin : pins)
    if (!isLegal(pin))
      return {pin};
  auto faulty = llvm::to_vector(pins);
  for (const Pin &pin : pins) {
    SmallVector<Pin> fewer;
    for (const Pin &other : faulty)
      if (!other.isSameAs(pin))
        fewer.push_back(other);
    if (!isLegal(fewer))
      faulty = fewer;
  }
  return faulty;
}

/// Returns what may stand in the place of `faulty`, one of `pins`, where the others
/// stay: the nearest numbers, all choices, or that there be none; empty if nothing.
std::string Inquiry::remedyFor(ArrayRef<Pin> pins, const Pin &faulty) {
  SmallVector<Pin> changed(pins);
  auto pin = llvm::find_if(
      changed, [&](const Pin &other) { return other.isSameAs(faulty); });
  SmallVector<int64_t> numbers;
  SmallVector<std::string> choices;
  for (const std::string &value : otherValuesOf(faulty)) {
    pin->value = value;
    if (!isLegal(changed))
      continue;
    choices.push_back(value);
    if (int64_t number; llvm::to_integer(value, number))
      numbers.push_back(number);
  }
  if (choices.empty()) {
    changed.erase(pin);
    return isLegal(changed) ? "no " + faulty.name() : "";
  }
  if (int64_t number; llvm::to_integer(faulty.value, number))
    return faulty.name() + " = " + tv::nearestOf(numbers, number);
  return faulty.name() + " = " + llvm::join(choices, ", ");
}

void Inquiry::report(ArrayRef<Pin> pins) {
  InFlightDiagnostic error = kernel.emitOpError("has no legal plan for N = ");
  error << kernel.getColumns();
  if (!isLegal({})) {
    error << ": " << whyNot;
    return;
  }
  std::ignore = isLegal(pins);
  std::string exact = whyNot;
  SmallVector<Pin> faulty = findFaulty(pins);
  std::ignore = isLegal(faulty);
  // All pins give the rule the numbers that were meant, unless they break
  // another one.
  auto words = [](StringRef text) { return text.take_until(llvm::isDigit); };
  std::string rule = words(exact) == words(whyNot) ? exact : whyNot;
  error << " with "
        << llvm::join(llvm::map_range(
                          faulty, [](const Pin &pin) { return pin.text(); }),
                      ", ")
        << ": " << rule;
  auto remediesAmong = [&](ArrayRef<Pin> kept) {
    SmallVector<std::string> remedies;
    for (const Pin &pin : faulty)
      if (std::string remedy = remedyFor(kept, pin); !remedy.empty())
        remedies.push_back(remedy);
    return llvm::join(remedies, ", or ");
  };
  // Where no change of one pin is enough, other pins are at fault as well.
  if (std::string remedies = remediesAmong(pins); !remedies.empty())
    error << "; nearest legal: " << remedies;
  else
    error << "; nearest legal, while the other pins break further rules: "
          << remediesAmong(faulty);
}

void quack::reportPins(KernelOp kernel, const KernelTraits &traits,
                       const Target &target, tv::PlanAttr pins) {
  Inquiry(kernel, traits, target).report(pinsOf(pins));
}
