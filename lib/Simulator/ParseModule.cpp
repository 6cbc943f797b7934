//===- ParseModule.cpp - directives of a module ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Directives": variables with their initialisers, kernels and
// functions up to their bodies. What is unknown is an error with its place.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace quack::sim;

void Parser::skipLine(uint32_t line) {
  while (peek().place.line == line && peek().kind != TokenKind::end)
    next();
}

/// `.section .debug_info { ... }`
Error Parser::parseDebugSection() {
  next();
  if (Error error = expect('{'))
    return error;
  unsigned depth = 1;
  while (depth) {
    if (peek().kind == TokenKind::end)
      return error("section does not end");
    depth += peek().is('{');
    depth -= peek().is('}');
    next();
  }
  return Error::success();
}

/// PTX ISA, "Release Notes": 7.0 is the first version of CUDA 11, 9.0 that of
/// CUDA 13. A later one may change what instructions mean.
Error Parser::parseVersion() {
  Token version = next();
  auto [majorText, minorText] = version.text.split('.');
  unsigned major = 0, minor = 0;
  bool isNumber =
      to_integer(majorText, major, 10) && to_integer(minorText, minor, 10);
  bool isKnown =
      ((major == 7 || major == 8) && minor <= 8) || (major == 9 && minor == 0);
  if (!isNumber || !isKnown)
    return errorAt(version, "PTX 7.0 to 7.8, 8.0 to 8.8 and 9.0 are simulated, "
                            "got '" +
                                version.text + "'");
  return Error::success();
}

/// PTX ISA, .target: `sm_90, debug`. Later architectures change what
/// instructions mean; map_f64_to_f32 would, too.
Error Parser::parseTarget() {
  do {
    Token word = next();
    StringRef architecture = word.text;
    if (architecture == "debug" || architecture.starts_with("texmode_"))
      continue;
    unsigned number = 0;
    if (!architecture.consume_front("sm_") ||
        architecture.rtrim("a").getAsInteger(10, number) || number > 90)
      return errorAt(word, "targets up to sm_90 are simulated, got '" +
                               word.text + "'");
  } while (consume(','));
  return Error::success();
}

Error Parser::parseTopLevel(ParsedModule &module) {
  bool isExternal = false;
  for (bool isExtern = false; (isExtern = consumeDotted("extern")) ||
                              consumeDotted("visible") ||
                              consumeDotted("weak") || consumeDotted("common");)
    isExternal |= isExtern;
  if (peek().kind != TokenKind::dotted)
    return error("expected a directive, got '" + peek().text + "'");
  Token token = next();
  if (token.text == "version")
    return parseVersion();
  if (token.text == "target")
    return parseTarget();
  if (token.text == "address_size") {
    uint64_t bits = 0;
    if (Error error = expectInteger(bits))
      return error;
    return bits == 64 ? Error::success()
                      : errorAt(token, "only 64-bit addresses are simulated");
  }
  if (token.text == "file") {
    skipLine(token.place.line);
    return Error::success();
  }
  if (token.text == "pragma") {
    next();
    return expect(';');
  }
  if (token.text == "section")
    return parseDebugSection();
  if (token.text == "shared")
    return parseShared(module, isExternal);
  if (token.text == "global" || token.text == "const")
    return parseGlobal(module, isExternal, token.text == "const");
  if (token.text == "entry" || token.text == "func")
    return parseKernel(module, token.text == "func");
  // PTX ISA, .local: module scope exists without the ABI only.
  if (token.text == "local")
    return errorAt(token, "local variables of a module are not simulated");
  return errorAt(token, "unknown directive '." + token.text + "'");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// `.align 16 .b8 name[64]`, after the state space.
Error Parser::parseVariable(ParsedVariable &variable) {
  bool hasType = false;
  uint64_t elements = 1;
  while (peek().kind == TokenKind::dotted) {
    Token token = next();
    if (token.text == "align") {
      Token bytes = peek();
      if (Error error = expectInteger(variable.alignment))
        return error;
      if (!isPowerOf2_64(variable.alignment) || variable.alignment > 1 << 20)
        return errorAt(bytes, "an alignment is a power of two");
    } else if (token.text == "ptr") {
      // The alignment that follows is the pointee's.
      consumeDotted("global");
      consumeDotted("shared");
      uint64_t pointee;
      if (consumeDotted("align"))
        if (Error error = expectInteger(pointee))
          return error;
    } else if (token.text == "attribute") {
      // .managed and .unified say where the memory is.
      while (peek().kind != TokenKind::end && !consume(')'))
        next();
    } else if (token.text == "v2" || token.text == "v4") {
      elements = token.text == "v2" ? 2 : 4;
    } else if (std::optional<Type> type = parseType(token.text)) {
      variable.type = *type;
      hasType = true;
    } else {
      return errorAt(token, "unknown attribute '." + token.text + "'");
    }
  }
  if (!hasType)
    return error("expected a type");
  variable.place = peek().place;
  if (peek().kind != TokenKind::word)
    return error("expected a name, got '" + peek().text + "'");
  variable.name = next().text.str();
  variable.alignment =
      std::max(variable.alignment, sizeOf(variable.type) * elements);
  variable.count = elements;
  return parseDimensions(variable);
}

/// `[2][3]`, the first of which may be empty.
Error Parser::parseDimensions(ParsedVariable &variable) {
  while (consume('[')) {
    uint64_t count = 0;
    if (peek().kind == TokenKind::integer)
      count = next().bits;
    if (count > 1u << 30 || variable.count > 1u << 30)
      return error("too many elements");
    variable.count *= count;
    if (Error error = expect(']'))
      return error;
  }
  return Error::success();
}

/// PTX ISA, "Initializers": a number, a symbol's address or `generic(symbol)`.
Error Parser::parseValue(ParsedValue &value) {
  value.place = peek().place;
  if (peek().kind == TokenKind::word) {
    bool isGeneric = peek().text == "generic" && peek(1).is('(');
    if (isGeneric) {
      next();
      next();
    }
    value.symbol = next().text.str();
    if (isGeneric)
      if (Error error = expect(')'))
        return error;
    if (consume('+'))
      return expectInteger(value.bits);
    return Error::success();
  }
  ParsedOperand number;
  if (Error error = parseNumber(number))
    return error;
  value.bits = number.bits;
  value.isReal = number.kind == ParsedOperand::real;
  value.isSingle = number.isSingle;
  return Error::success();
}

/// A value, or values in (nested) braces.
Error Parser::parseValues(ParsedVariable &variable) {
  if (Error error = checkDepth())
    return error;
  SaveAndRestore<unsigned> nested(depth, depth + 1);
  if (!consume('{')) {
    variable.values.emplace_back();
    return parseValue(variable.values.back());
  }
  while (!consume('}')) {
    if (Error error = parseValues(variable))
      return error;
    if (!consume(',') && !peek().is('}'))
      return error("expected '}', got '" + peek().text + "'");
  }
  return Error::success();
}

Error Parser::parseShared(ParsedModule &module, bool isExternal) {
  ParsedVariable variable;
  if (Error error = parseVariable(variable))
    return error;
  variable.isExternal = isExternal;
  if (!isExternal)
    if (Error error = define(variable.name, variable.place))
      return error;
  module.shared.push_back(variable);
  return expect(';');
}

Error Parser::parseGlobal(ParsedModule &module, bool isExternal,
                          bool isConstant) {
  ParsedVariable variable;
  if (Error error = parseVariable(variable))
    return error;
  variable.isConstant = isConstant;
  if (consume('=')) {
    if (Error error = parseValues(variable))
      return error;
    if (variable.count == 0)
      variable.count = variable.values.size();
    if (variable.values.size() > variable.count)
      return makeError(name, variable.place, "more values than elements");
  }
  // What is defined elsewhere has no memory here.
  if (!isExternal) {
    if (Error error = define(variable.name, variable.place))
      return error;
    module.globals.push_back(variable);
  }
  return expect(';');
}

//===----------------------------------------------------------------------===//
// Kernels and functions
//===----------------------------------------------------------------------===//

Error Parser::parseExtent(uint32_t (&extent)[3]) {
  extent[1] = extent[2] = 1;
  unsigned i = 0;
  do {
    uint64_t value = 0;
    if (i == 3)
      return error("expected at most three numbers");
    if (Error error = expectInteger(value))
      return error;
    extent[i++] = uint32_t(value);
  } while (consume(','));
  return Error::success();
}

Error Parser::parseKernelDirectives() {
  while (peek().kind == TokenKind::dotted) {
    Token token = next();
    uint64_t ignored = 0;
    if (token.text == "reqntid") {
      if (Error error = parseExtent(kernel->requiredThreads))
        return error;
    } else if (token.text == "maxntid") {
      if (Error error = parseExtent(kernel->maxThreads))
        return error;
    } else if (token.text == "reqnctapercluster") {
      if (Error error = parseExtent(kernel->requiredCluster))
        return error;
    } else if (token.text == "minnctapersm" || token.text == "maxnreg" ||
               token.text == "maxclusterrank") {
      if (Error error = expectInteger(ignored))
        return error;
    } else if (token.text == "pragma") {
      next();
      if (Error error = expect(';'))
        return error;
    } else if (token.text != "explicitcluster" && token.text != "noreturn") {
      return errorAt(token, "unknown directive '." + token.text + "'");
    }
  }
  return Error::success();
}

/// `(.param .b32 a, .reg .b32 %b)`, after `(`.
Error Parser::parseParameters(std::vector<ParsedVariable> &parameters) {
  while (!consume(')')) {
    bool isRegister = consumeDotted("reg");
    if (!isRegister && !consumeDotted("param"))
      return error("expected '.param'");
    ParsedVariable parameter;
    if (Error error = parseVariable(parameter))
      return error;
    if (isRegister) {
      if (!kernel)
        parameter.reg = 0;
      else
        parameter.reg = int(kernel->registers.size());
      if (kernel)
        if (Error error = declareRegister(parameter.name, parameter.type,
                                          parameter.place))
          return error;
    }
    parameters.push_back(parameter);
    if (!consume(',') && !peek().is(')'))
      return error("expected ')', got '" + peek().text + "'");
  }
  return Error::success();
}

Error Parser::parseKernel(ParsedModule &module, bool isFunction) {
  std::vector<ParsedKernel> &list =
      isFunction ? module.functions : module.kernels;
  list.emplace_back();
  kernel = &list.back();
  kernel->isFunction = isFunction;
  scopes.clear();
  scopes.emplace_back();
  if (isFunction && consume('('))
    if (Error error = parseParameters(kernel->results))
      return error;
  kernel->place = peek().place;
  if (peek().kind != TokenKind::word)
    return error("expected a name, got '" + peek().text + "'");
  kernel->name = next().text.str();
  if (consume('('))
    if (Error error = parseParameters(kernel->parameters))
      return error;
  if (Error error = parseKernelDirectives())
    return error;
  if (consume(';')) { // a declaration
    list.pop_back();
    return Error::success();
  }
  if (Error error = define(kernel->name, kernel->place))
    return error;
  labels.clear();
  return parseBody();
}
