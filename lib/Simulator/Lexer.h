//===- Lexer.h - tokens of PTX ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits PTX text (PTX ISA, "Syntax") into tokens that know their place. A
// modifier such as `.mbarrier::complete_tx::bytes` is one token.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_LEXER_H
#define QUACK_LIB_SIMULATOR_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace quack::sim {

/// A place in the text, from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

enum class TokenKind {
  word,    ///< add, %r1, $L__BB0_2, _
  dotted,  ///< .rn, .shared::cluster: without the dot
  integer, ///< 12, 0x1F, 12U
  real,    ///< 0f3F800000, 0d..., 1.5: the value as a double's pattern
  string,
  symbol, ///< one character
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  llvm::StringRef text;
  Place place;
  uint64_t bits = 0;     ///< of a number
  bool isSingle = false; ///< the number is a 0f literal: bits are an f32's

  bool is(char symbol) const {
    return kind == TokenKind::symbol && text.front() == symbol;
  }
};

/// Returns the tokens of `text`, the last of kind `end`.
llvm::Expected<std::vector<Token>> lex(llvm::StringRef text,
                                       llvm::StringRef name);

/// Returns the error "name:line:column: message".
llvm::Error makeError(llvm::StringRef name, Place place,
                      const llvm::Twine &message);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_LEXER_H
