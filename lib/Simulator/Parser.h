//===- Parser.h - parsing PTX -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's state and its means. Directives of a module and what they
// declare are in ParseModule.cpp, bodies in Parser.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_PARSER_H
#define QUACK_LIB_SIMULATOR_PARSER_H

#include "Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace quack::sim {

/// Parses a module, or reports the first thing that is wrong.
class Parser {
public:
  Parser(std::vector<Token> tokens, llvm::StringRef name)
      : tokens(std::move(tokens)), name(name) {}

  llvm::Error parse(ParsedModule &module) {
    module.name = name.str();
    while (peek().kind != TokenKind::end)
      if (llvm::Error error = parseTopLevel(module))
        return error;
    return llvm::Error::success();
  }

private:
  std::vector<Token> tokens;
  llvm::StringRef name;
  size_t at = 0;
  ParsedKernel *kernel = nullptr;
  unsigned block = 0;
  /// Registers in sight: for each open block, name to index.
  std::vector<llvm::StringMap<unsigned>> scopes;
  /// The block's number for each open block.
  std::vector<unsigned> openBlocks;
  llvm::StringSet<> definitions; ///< of the module: variables and functions
  llvm::StringSet<> labels;      ///< of the function, after their blocks
  unsigned depth = 0;            ///< of nested operands or values

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  Token next() { return tokens[at < tokens.size() - 1 ? at++ : at]; }
  llvm::Error error(const llvm::Twine &message) const {
    return errorAt(peek(), message);
  }
  llvm::Error errorAt(const Token &token, const llvm::Twine &message) const {
    return makeError(name, token.place, message);
  }
  bool consume(char symbol) {
    bool found = peek().is(symbol);
    if (found)
      ++at;
    return found;
  }
  bool consumeDotted(llvm::StringRef text) {
    bool found = peek().kind == TokenKind::dotted && peek().text == text;
    if (found)
      ++at;
    return found;
  }
  llvm::Error expect(char symbol) {
    if (consume(symbol))
      return llvm::Error::success();
    return error(llvm::Twine("expected '") + llvm::Twine(symbol) + "', got '" +
                 peek().text + "'");
  }
  llvm::Error expectInteger(uint64_t &value) {
    if (peek().kind != TokenKind::integer)
      return error("expected an integer, got '" + peek().text + "'");
    value = next().bits;
    return llvm::Error::success();
  }

  llvm::Error define(llvm::StringRef what, Place place) {
    if (definitions.insert(what).second)
      return llvm::Error::success();
    return makeError(name, place, "'" + what + "' is defined twice");
  }
  /// Braces within braces have a limit, as the stack has.
  llvm::Error checkDepth() const {
    return depth < 64 ? llvm::Error::success() : error("nested too deeply");
  }

  // ParseModule.cpp
  llvm::Error parseTopLevel(ParsedModule &module);
  llvm::Error parseDebugSection();
  llvm::Error parseVersion();
  llvm::Error parseTarget();
  llvm::Error parseVariable(ParsedVariable &variable);
  llvm::Error parseDimensions(ParsedVariable &variable);
  llvm::Error parseValues(ParsedVariable &variable);
  llvm::Error parseValue(ParsedValue &value);
  llvm::Error parseShared(ParsedModule &module, bool isExternal);
  llvm::Error parseGlobal(ParsedModule &module, bool isExternal,
                          bool isConstant);
  llvm::Error parseParameters(std::vector<ParsedVariable> &parameters);
  llvm::Error parseKernel(ParsedModule &module, bool isFunction);
  llvm::Error parseKernelDirectives();
  llvm::Error parseExtent(uint32_t (&extent)[3]);
  void skipLine(uint32_t line);

  // Parser.cpp
  llvm::Error parseBody();
  llvm::Error parseStatement();
  llvm::Error parseRegisters();
  llvm::Error parseLocal();
  llvm::Error parseTable();
  llvm::Error parsePrototype(ParsedTable &table);
  llvm::Error declareRegister(llvm::StringRef text, Type type, Place place);
  llvm::Error parseInstruction();
  llvm::Error parseOperand(ParsedOperand &operand);
  llvm::Error parseList(ParsedOperand &operand, char close);
  llvm::Error parseWord(ParsedOperand &operand);
  llvm::Error parseNumber(ParsedOperand &operand);
  int findRegister(llvm::StringRef text) const {
    for (const llvm::StringMap<unsigned> &scope : llvm::reverse(scopes))
      if (auto found = scope.find(text); found != scope.end())
        return int(found->second);
    return -1;
  }
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_PARSER_H
