//===- test/Fuzz/MutateIR.h - malformed and odd programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes programs that are nearly right out of ones that are: a type, number or
// name in another's place, lines moved, text cut short, brackets nested deep.
// What comes out depends on the seeds and the number of the mutation only.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_FUZZ_MUTATEIR_H
#define QUACK_FUZZ_MUTATEIR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace quack::fuzz {

/// A part of a program's text. Parts of one kind stand for each other.
struct Token {
  enum Kind {
    blank,
    word,
    operation,
    number,
    type,
    value,
    attribute,
    text,
    mark
  } kind;
  std::string spelling;
};

class IRMutator {
public:
  /// `seeds` are programs, the first `goodSeeds` of them without errors: most
  /// mutations start from these.
  IRMutator(llvm::ArrayRef<std::string> seeds, size_t goodSeeds);

  /// Returns mutation `number`.
  std::string mutate(uint64_t number);

private:
  using Tokens = std::vector<Token>;

  size_t below(size_t bound) { return bound ? random() % bound : 0; }
  std::string another(const Tokens &tokens, const Token &token);
  void changeToken(Tokens &tokens);
  void changeLines(Tokens &tokens);
  static std::string join(const Tokens &tokens);
  std::string spoil(std::string text);

  std::mt19937_64 random;
  std::vector<Tokens> seeds;
  size_t goodSeeds;
  std::vector<std::string> vocabulary[Token::mark + 1];
};

} // namespace quack::fuzz

#endif // QUACK_FUZZ_MUTATEIR_H
