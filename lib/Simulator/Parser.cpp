//===- Parser.cpp - PTX text to its parsed form ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of kernels and functions: declarations and the shape of
// instructions (PTX ISA, "Syntax"). What is unknown is an error with its place.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/Support/SaveAndRestore.h"

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

Error Parser::parseBody() {
  if (Error error = expect('{'))
    return error;
  kernel->blockParents.assign(1, 0);
  openBlocks.assign(1, 0);
  while (!openBlocks.empty()) {
    if (peek().kind == TokenKind::end)
      return error("body does not end");
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
    if (token.text == "local" || token.text == "param")
      return parseLocal();
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
      skipLine(token.place.line);
      return Error::success();
    }
    return errorAt(token, "unknown directive '." + token.text + "'");
  }
  if (peek().kind == TokenKind::word && peek(1).is(':')) {
    if (peek(2).kind == TokenKind::dotted &&
        (peek(2).text == "branchtargets" || peek(2).text == "calltargets" ||
         peek(2).text == "callprototype"))
      return parseTable();
    if (!labels.insert((peek().text + "@" + Twine(openBlocks.back())).str())
             .second)
      return error("the label '" + peek().text + "' is there twice");
    kernel->labels.push_back({next().text.str(), openBlocks.back(),
                              unsigned(kernel->instructions.size())});
    ++at;
    return Error::success();
  }
  return parseInstruction();
}

/// `.local .align 8 .b8 a[16];` or `.param .b32 b, c;`, after the state space.
Error Parser::parseLocal() {
  ParsedVariable variable;
  if (Error error = parseVariable(variable))
    return error;
  variable.block = openBlocks.back();
  kernel->local.push_back(variable);
  while (consume(',')) {
    variable.name = next().text.str();
    variable.count = 1;
    if (Error error = parseDimensions(variable))
      return error;
    kernel->local.push_back(variable);
  }
  return expect(';');
}

/// `(results) _ (parameters) .noreturn`
Error Parser::parsePrototype(ParsedTable &table) {
  ParsedKernel *outer = kernel;
  kernel = nullptr; // names of parameters mean nothing here
  Error result = Error::success();
  auto parse = [&](std::vector<ParsedVariable> &list) {
    if (!result && consume('('))
      result = parseParameters(list);
  };
  parse(table.results);
  next();
  parse(table.parameters);
  kernel = outer;
  if (result)
    return result;
  consumeDotted("noreturn");
  return Error::success();
}

Error Parser::parseTable() {
  ParsedTable table;
  table.name = next().text.str();
  table.block = openBlocks.back();
  next();
  StringRef kind = next().text;
  if (kind == "callprototype") {
    table.kind = ParsedTable::prototype;
    if (Error error = parsePrototype(table))
      return error;
  } else {
    table.kind = kind == "calltargets" ? ParsedTable::callTargets
                                       : ParsedTable::branchTargets;
    do {
      table.targets.emplace_back();
      if (Error error = parseOperand(table.targets.back()))
        return error;
    } while (consume(','));
  }
  kernel->tables.push_back(std::move(table));
  return expect(';');
}

Error Parser::declareRegister(StringRef text, Type type, Place place) {
  unsigned index = unsigned(kernel->registers.size());
  if (!scopes.back().try_emplace(text, index).second)
    return makeError(name, place, "'" + text + "' is declared twice");
  kernel->registers.push_back({text.str(), type});
  return Error::success();
}

/// Of a kernel; a text that asks for more is no program that was compiled.
static constexpr uint64_t mostRegisters = 1 << 17;

/// `.reg .b32 %r<10>;` or `.reg .pred p, q;`
Error Parser::parseRegisters() {
  Token token = next();
  std::optional<Type> type = parseType(token.text);
  if (token.kind != TokenKind::dotted || !type)
    return errorAt(token, "expected a register type");
  do {
    Token word = next();
    if (word.kind != TokenKind::word)
      return errorAt(word, "expected a register name");
    if (!consume('<')) {
      if (Error error = declareRegister(word.text, *type, word.place))
        return error;
      continue;
    }
    uint64_t count = 0;
    if (Error error = expectInteger(count))
      return error;
    for (uint64_t i = 0; i < count; ++i) {
      if (kernel->registers.size() == mostRegisters)
        return errorAt(word,
                       "more than " + Twine(mostRegisters) + " registers");
      if (Error error =
              declareRegister((word.text + Twine(i)).str(), *type, word.place))
        return error;
    }
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
  if (Error error = checkDepth())
    return error;
  SaveAndRestore<unsigned> nested(depth, depth + 1);
  operand.place = peek().place;
  operand.isNegated = consume('!');
  if (consume('{')) {
    operand.kind = ParsedOperand::vector;
    return parseList(operand, '}');
  }
  if (consume('(')) {
    operand.kind = ParsedOperand::list;
    return parseList(operand, ')');
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
    operand.hasSecond = true;
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
