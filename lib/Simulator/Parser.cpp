//===- Parser.cpp - PTX text to its parsed form ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives, declarations and the shape of instructions (PTX ISA, "Syntax"
// and "Directives"). What is unknown is an error with its place.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace quack::sim;

std::optional<Type> quack::sim::parseType(StringRef name) {
  for (unsigned i = 0; i <= unsigned(Type::pred); ++i)
    if (getName(Type(i)) == name)
      return Type(i);
  return std::nullopt;
}

StringRef quack::sim::getName(Type type) {
  static constexpr StringLiteral names[] = {
      "b8",  "b16", "b32",   "b64",    "u8",   "u16", "u32",
      "u64", "s8",  "s16",   "s32",    "s64",  "f16", "bf16",
      "f32", "f64", "f16x2", "bf16x2", "b128", "pred"};
  return names[unsigned(type)];
}

namespace {
class Parser {
public:
  Parser(std::vector<Token> tokens, StringRef name)
      : tokens(std::move(tokens)), name(name) {}

  Error parse(ParsedModule &module) {
    module.name = name.str();
    while (peek().kind != TokenKind::end)
      if (Error error = parseTopLevel(module))
        return error;
    return Error::success();
  }

private:
  std::vector<Token> tokens;
  StringRef name;
  size_t at = 0;
  ParsedKernel *kernel = nullptr;
  unsigned block = 0;
  /// Registers in sight: for each open block, name to index.
  std::vector<StringMap<unsigned>> scopes;
  /// The block's number for each open block.
  std::vector<unsigned> openBlocks;

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  Token next() { return tokens[at < tokens.size() - 1 ? at++ : at]; }
  Error error(const Twine &message) const { return errorAt(peek(), message); }
  Error errorAt(const Token &token, const Twine &message) const {
    return makeError(name, token.place, message);
  }
  bool consume(char symbol) {
    bool found = peek().is(symbol);
    if (found)
      ++at;
    return found;
  }
  bool consumeDotted(StringRef text) {
    bool found = peek().kind == TokenKind::dotted && peek().text == text;
    if (found)
      ++at;
    return found;
  }
  Error expect(char symbol) {
    if (consume(symbol))
      return Error::success();
    return error(Twine("expected '") + Twine(symbol) + "', got '" +
                 peek().text + "'");
  }
  Error expectInteger(uint64_t &value) {
    if (peek().kind != TokenKind::integer)
      return error("expected an integer, got '" + peek().text + "'");
    value = next().bits;
    return Error::success();
  }

  Error parseTopLevel(ParsedModule &module);
  Error parseVariable(ParsedVariable &variable);
  Error parseKernel(ParsedModule &module);
  Error parseKernelDirectives();
  Error parseExtent(uint32_t (&extent)[3]);
  Error parseBody();
  Error parseStatement();
  Error parseRegisters();
  Error parseInstruction();
  Error parseOperand(ParsedOperand &operand);
  Error parseList(ParsedOperand &operand, char close);
  Error parseWord(ParsedOperand &operand);
  Error parseNumber(ParsedOperand &operand);
  int findRegister(StringRef text) const {
    for (const StringMap<unsigned> &scope : reverse(scopes))
      if (auto found = scope.find(text); found != scope.end())
        return int(found->second);
    return -1;
  }
};
} // namespace

Error Parser::parseTopLevel(ParsedModule &module) {
  if (peek().kind != TokenKind::dotted)
    return error("expected a directive, got '" + peek().text + "'");
  bool isExternal = false;
  while (consumeDotted("visible") || consumeDotted("weak") ||
         peek().text == "extern")
    isExternal |= consumeDotted("extern");
  Token token = next();
  if (token.text == "version") {
    Token version = next();
    double value = 0;
    if (!to_float(version.text, value) || !(value >= 1 && value < 100))
      return errorAt(version, "expected a version");
    module.version = unsigned(value * 10 + 0.5);
    return Error::success();
  }
  if (token.text == "target") {
    do
      next();
    while (consume(','));
    return Error::success();
  }
  if (token.text == "address_size") {
    uint64_t bits = 0;
    if (Error error = expectInteger(bits))
      return error;
    return bits == 64 ? Error::success()
                      : errorAt(token, "only 64-bit addresses are simulated");
  }
  if (token.text == "shared") {
    ParsedVariable variable;
    if (Error error = parseVariable(variable))
      return error;
    variable.isExternal = isExternal;
    module.shared.push_back(variable);
    return expect(';');
  }
  if (token.text == "entry")
    return parseKernel(module);
  return errorAt(token, "unknown directive '." + token.text + "'");
}

/// `.align 16 .b8 name[64]`, after the state space.
Error Parser::parseVariable(ParsedVariable &variable) {
  bool hasType = false;
  while (peek().kind == TokenKind::dotted) {
    Token token = next();
    if (token.text == "align") {
      if (Error error = expectInteger(variable.alignment))
        return error;
    } else if (token.text == "ptr") {
      variable.isPointer = true;
      // The alignment that follows is the pointee's.
      consumeDotted("global");
      consumeDotted("shared");
      uint64_t pointee;
      if (consumeDotted("align"))
        if (Error error = expectInteger(pointee))
          return error;
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
      std::max<uint64_t>(variable.alignment, sizeOf(variable.type));
  if (!consume('['))
    return Error::success();
  variable.count = 0;
  if (peek().kind == TokenKind::integer)
    variable.count = next().bits;
  return expect(']');
}

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
    } else if (token.text != "explicitcluster" && token.text != "noreturn") {
      return errorAt(token, "unknown directive '." + token.text + "'");
    }
  }
  return Error::success();
}

Error Parser::parseKernel(ParsedModule &module) {
  module.kernels.emplace_back();
  kernel = &module.kernels.back();
  kernel->place = peek().place;
  kernel->name = next().text.str();
  if (consume('(')) {
    while (!consume(')')) {
      if (!consumeDotted("param"))
        return error("expected '.param'");
      ParsedVariable parameter;
      if (Error error = parseVariable(parameter))
        return error;
      kernel->parameters.push_back(parameter);
      consume(',');
    }
  }
  if (Error error = parseKernelDirectives())
    return error;
  if (consume(';')) { // a declaration
    module.kernels.pop_back();
    return Error::success();
  }
  return parseBody();
}

Error Parser::parseBody() {
  if (Error error = expect('{'))
    return error;
  kernel->blockParents.assign(1, 0);
  openBlocks.assign(1, 0);
  scopes.clear();
  scopes.emplace_back();
  while (!openBlocks.empty()) {
    if (peek().kind == TokenKind::end)
      return error("kernel does not end");
    if (consume('{')) {
      kernel->blockParents.push_back(openBlocks.back());
      openBlocks.push_back(unsigned(kernel->blockParents.size() - 1));
      scopes.emplace_back();
    } else if (consume('}')) {
      openBlocks.pop_back();
      scopes.pop_back();
    } else if (Error error = parseStatement()) {
      return error;
    }
  }
  return Error::success();
}

Error Parser::parseStatement() {
  if (peek().kind == TokenKind::dotted) {
    Token token = next();
    if (token.text == "reg")
      return parseRegisters();
    if (token.text == "shared") {
      kernel->shared.emplace_back();
      if (Error error = parseVariable(kernel->shared.back()))
        return error;
      return expect(';');
    }
    if (token.text == "pragma") {
      while (!peek().is(';') && peek().kind != TokenKind::end)
        next();
      return expect(';');
    }
    if (token.text == "loc") {
      uint32_t line = token.place.line;
      while (peek().place.line == line && peek().kind != TokenKind::end)
        next();
      return Error::success();
    }
    return errorAt(token, "unknown directive '." + token.text + "'");
  }
  if (peek().kind == TokenKind::word && peek(1).is(':')) {
    kernel->labels.push_back({next().text.str(), openBlocks.back(),
                              unsigned(kernel->instructions.size())});
    ++at;
    return Error::success();
  }
  return parseInstruction();
}

/// `.reg .b32 %r<10>;` or `.reg .pred p, q;`
Error Parser::parseRegisters() {
  Token token = next();
  std::optional<Type> type = parseType(token.text);
  if (token.kind != TokenKind::dotted || !type)
    return errorAt(token, "expected a register type");
  auto declare = [&](const Twine &text) {
    std::string name = text.str();
    scopes.back()[name] = unsigned(kernel->registers.size());
    kernel->registers.push_back({name, *type});
  };
  do {
    Token word = next();
    if (word.kind != TokenKind::word)
      return errorAt(word, "expected a register name");
    if (!consume('<')) {
      declare(word.text);
      continue;
    }
    uint64_t count = 0;
    if (Error error = expectInteger(count))
      return error;
    if (count > 1u << 20)
      return errorAt(word, "too many registers");
    for (uint64_t i = 0; i < count; ++i)
      declare(word.text + Twine(i));
    if (Error error = expect('>'))
      return error;
  } while (consume(','));
  return expect(';');
}

Error Parser::parseInstruction() {
  ParsedInstruction instruction;
  instruction.place = peek().place;
  instruction.block = openBlocks.back();
  if (consume('@')) {
    instruction.isGuardNegated = consume('!');
    instruction.guard = findRegister(peek().text);
    if (instruction.guard < 0)
      return error("unknown register '" + peek().text + "'");
    if (kernel->registers[unsigned(instruction.guard)].type != Type::pred)
      return error("expected a predicate");
    next();
  }
  Token root = next();
  if (root.kind != TokenKind::word)
    return errorAt(root, "expected an instruction, got '" + root.text + "'");
  instruction.root = root.text;
  instruction.place = root.place;
  instruction.text = root.text.str();
  while (peek().kind == TokenKind::dotted) {
    Token modifier = next();
    instruction.modifiers.push_back({modifier.text, modifier.place});
    instruction.text += "." + modifier.text.str();
  }
  while (!peek().is(';')) {
    instruction.operands.emplace_back();
    if (Error error = parseOperand(instruction.operands.back()))
      return error;
    if (!consume(','))
      break;
  }
  if (Error error = expect(';'))
    return error;
  kernel->instructions.push_back(std::move(instruction));
  return Error::success();
}

Error Parser::parseList(ParsedOperand &operand, char close) {
  while (!consume(close)) {
    operand.elements.emplace_back();
    if (Error error = parseOperand(operand.elements.back()))
      return error;
    if (!consume(',') && !peek().is(close))
      return error("expected '" + Twine(close) + "', got '" + peek().text +
                   "'");
  }
  return Error::success();
}

Error Parser::parseOperand(ParsedOperand &operand) {
  operand.place = peek().place;
  operand.isNegated = consume('!');
  if (consume('{')) {
    operand.kind = ParsedOperand::vector;
    return parseList(operand, '}');
  }
  if (consume('[')) {
    operand.kind = ParsedOperand::address;
    operand.elements.emplace_back();
    if (Error error = parseOperand(operand.elements.back()))
      return error;
    std::swap(operand.bits, operand.elements.back().bits);
    if (operand.elements.back().kind == ParsedOperand::integer)
      std::swap(operand.bits, operand.elements.back().bits);
    return expect(']');
  }
  if (peek().kind != TokenKind::word)
    return parseNumber(operand);
  return parseWord(operand);
}

/// A register, a special register or a symbol, and what may follow it.
Error Parser::parseWord(ParsedOperand &operand) {
  Token word = next();
  int found = findRegister(word.text);
  if (found >= 0) {
    operand.kind = ParsedOperand::reg;
    operand.index = unsigned(found);
  } else if (word.text == "_") {
    operand.kind = ParsedOperand::sink;
  } else if (word.text.starts_with("%")) {
    operand.kind = ParsedOperand::special;
    operand.name = word.text.drop_front().str();
    if (peek().kind == TokenKind::dotted)
      operand.name += "." + next().text.str();
  } else {
    operand.kind = ParsedOperand::symbol;
    operand.name = word.text.str();
  }
  if (consume('|')) {
    operand.second = findRegister(peek().text);
    if (operand.second < 0 && peek().text != "_")
      return error("unknown register '" + peek().text + "'");
    next();
  }
  if (peek().is('+') || peek().is('-')) {
    bool isMinus = next().is('-');
    isMinus ^= consume('-');
    uint64_t value = 0;
    if (Error error = expectInteger(value))
      return error;
    operand.bits = isMinus ? 0 - value : value;
  }
  return Error::success();
}

Error Parser::parseNumber(ParsedOperand &operand) {
  bool isMinus = consume('-');
  Token token = next();
  operand.bits = token.bits;
  operand.isSingle = token.isSingle;
  if (token.kind == TokenKind::integer) {
    operand.kind = ParsedOperand::integer;
    if (isMinus)
      operand.bits = 0 - operand.bits;
    return Error::success();
  }
  if (token.kind != TokenKind::real)
    return errorAt(token, "expected an operand, got '" + token.text + "'");
  operand.kind = ParsedOperand::real;
  if (isMinus)
    operand.bits ^= token.isSingle ? 1ull << 31 : 1ull << 63;
  return Error::success();
}

Expected<ParsedModule> quack::sim::parseModule(StringRef text, StringRef name) {
  Expected<std::vector<Token>> tokens = lex(text, name);
  if (!tokens)
    return tokens.takeError();
  ParsedModule module;
  if (Error error = Parser(std::move(*tokens), name).parse(module))
    return error;
  return module;
}
