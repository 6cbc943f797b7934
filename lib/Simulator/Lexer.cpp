//===- Lexer.cpp - tokens of PTX -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

Error quack::sim::makeError(StringRef name, Place place, const Twine &message) {
  return createStringError(name + ":" + Twine(place.line) + ":" +
                           Twine(place.column) + ": " + message);
}

namespace {
class Lexer {
public:
  Lexer(StringRef text, StringRef name) : text(text), name(name) {}

  Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (true) {
      if (Error error = skipSpace())
        return error;
      Token token;
      token.place = {line, uint32_t(at - lineStart + 1)};
      if (at >= text.size()) {
        tokens.push_back(token);
        return tokens;
      }
      if (Error error = readToken(token))
        return error;
      tokens.push_back(token);
    }
  }

private:
  StringRef text, name;
  size_t at = 0, lineStart = 0;
  uint32_t line = 1;

  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  static bool isWordStart(char c) {
    return isAlpha(c) || c == '_' || c == '$' || c == '%';
  }
  static bool isWordRest(char c) { return isAlnum(c) || c == '_' || c == '$'; }

  void advance() {
    if (text[at++] == '\n') {
      ++line;
      lineStart = at;
    }
  }

  Error skipSpace() {
    while (at < text.size()) {
      if (isSpace(peek())) {
        advance();
      } else if (peek() == '/' && peek(1) == '/') {
        while (at < text.size() && peek() != '\n')
          advance();
      } else if (peek() == '/' && peek(1) == '*') {
        size_t close = text.find("*/", at + 2);
        if (close == StringRef::npos)
          return makeError(name, {line, uint32_t(at - lineStart + 1)},
                           "comment does not end");
        while (at < close + 2)
          advance();
      } else {
        break;
      }
    }
    return Error::success();
  }

  Error readToken(Token &token) {
    size_t start = at;
    char c = peek();
    if (isWordStart(c)) {
      token.kind = TokenKind::word;
      while (isWordRest(peek()) || (at == start && isWordStart(c)))
        ++at;
    } else if (c == '.' && (isAlnum(peek(1)) || peek(1) == '_')) {
      token.kind = TokenKind::dotted;
      ++start;
      ++at;
      while (isWordRest(peek()) ||
             (peek() == ':' && peek(1) == ':' && isWordRest(peek(2))))
        at += peek() == ':' ? 2 : 1;
    } else if (isDigit(c)) {
      return readNumber(token);
    } else if (c == '"') {
      token.kind = TokenKind::string;
      size_t close = text.find('"', at + 1);
      if (close == StringRef::npos)
        return makeError(name, token.place, "string does not end");
      at = close + 1;
    } else if (StringRef(",;{}()[]<>@!+-|:=*").contains(c)) {
      token.kind = TokenKind::symbol;
      ++at;
    } else {
      return makeError(name, token.place,
                       "unexpected character '" + Twine(c) + "'");
    }
    token.text = text.slice(start, at);
    return Error::success();
  }

  /// PTX ISA, "Constants": 0f and 0d are patterns in hexadecimal.
  Error readNumber(Token &token) {
    size_t start = at;
    char kind = toLower(peek(1));
    if (peek() == '0' && (kind == 'f' || kind == 'd')) {
      at += 2;
      size_t digits = kind == 'f' ? 8 : 16;
      StringRef hex = text.substr(at, digits);
      if (hex.size() != digits || hex.getAsInteger(16, token.bits))
        return makeError(name, token.place, "malformed floating-point pattern");
      at += digits;
      token.kind = TokenKind::real;
      token.isSingle = kind == 'f';
    } else {
      while (isAlnum(peek()) || (peek() == '.' && isDigit(peek(1))) ||
             ((peek() == '-' || peek() == '+') &&
              toLower(text[at - 1]) == 'e' &&
              text.slice(start, at).contains('.')))
        ++at;
      StringRef digits = text.slice(start, at);
      token.kind = TokenKind::integer;
      if (digits.contains('.')) {
        double value = 0;
        if (!to_float(digits, value))
          return makeError(name, token.place, "malformed number");
        std::memcpy(&token.bits, &value, sizeof(value));
        token.kind = TokenKind::real;
      } else if (digits.rtrim("uU").getAsInteger(0, token.bits)) {
        return makeError(name, token.place, "malformed number");
      }
    }
    token.text = text.slice(start, at);
    return Error::success();
  }
};
} // namespace

Expected<std::vector<Token>> quack::sim::lex(StringRef text, StringRef name) {
  return Lexer(text, name).run();
}
