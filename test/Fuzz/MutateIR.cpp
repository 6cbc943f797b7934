//===- test/Fuzz/MutateIR.cpp - malformed and odd programs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most mutations change one or two tokens, so that what is wrong lies deep:
// what does not parse is soon refused.
//
//===----------------------------------------------------------------------===//

#include "MutateIR.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace quack::fuzz;

static constexpr StringLiteral oddNumbers[] = {"0",
                                               "1",
                                               "-1",
                                               "2",
                                               "3",
                                               "7",
                                               "16",
                                               "31",
                                               "32",
                                               "33",
                                               "63",
                                               "96",
                                               "1024",
                                               "1025",
                                               "4096",
                                               "65536",
                                               "65537",
                                               "1e39",
                                               "0.0",
                                               "0x7FC00000",
                                               "0xFF800000",
                                               "1048576",
                                               "1048577",
                                               "1073741824",
                                               "1073741825",
                                               "2147483647",
                                               "2147483648",
                                               "4294967296",
                                               "-2147483649",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "-9223372036854775808"};

static constexpr StringLiteral oddTypes[] = {
    "i1",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "ui8",
    "si32",
    "index",
    "none",
    "f16",
    "bf16",
    "f32",
    "f64",
    "f80",
    "f128",
    "tf32",
    "f8E4M3FN",
    "f8E5M2",
    "f4E2M1FN",
    "complex<f32>",
    "tuple<>",
    "vector<4xf32>",
    "tensor<f32>",
    "tensor<0xf32>",
    "tensor<1xf32>",
    "tensor<64xi4>",
    "tensor<64xindex>",
    "tensor<64xcomplex<f32>>",
    "tensor<?xf32>",
    "tensor<*xf32>",
    "tensor<2x64xf32>",
    "tensor<1073741824xf32>",
    "tensor<64xf32, 1 : i32>",
    "memref<f32>",
    "memref<?xf32>",
    "memref<?x0xf32>",
    "memref<?x1xf32>",
    "memref<?x64xi4>",
    "memref<?x64xindex>",
    "memref<?x64xf8E4M3FN>",
    "memref<4x64xf32>",
    "memref<?x?x?xf32>",
    "memref<*xf32>",
    "memref<?x64xf32, 3>",
    "memref<?x64xvector<4xf32>>",
    "memref<?x2147483648xf32>",
    "memref<?x64xf32, strided<[64, 1]>>",
    "memref<?x64xf32, strided<[?, 2], offset: ?>>",
    "!llvm.ptr",
    "(f32) -> f32",
    "!quack_tv.exchange<f32>",
    "!quack.tile"};

static bool isWordChar(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$';
}

/// Returns how long the type at the start of `text` is: a word, and what its
/// angle brackets hold.
static size_t typeLength(StringRef text) {
  size_t length = text.take_while(isWordChar).size();
  if (length == text.size() || text[length] != '<')
    return length;
  int depth = 0;
  for (size_t i = length; i < text.size() && text[i] != '\n'; ++i) {
    depth += text[i] == '<';
    depth -= text[i] == '>' && text[i - 1] != '-';
    if (depth == 0)
      return i + 1;
  }
  return length;
}

static bool startsType(StringRef text) {
  StringRef word = text.take_while(isWordChar);
  if (text.size() > word.size() && text[word.size()] == '<')
    return is_contained({"tensor", "memref", "vector", "complex", "tuple"},
                        word);
  return is_contained(
      {"f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "index"},
      word);
}

static Token takeToken(StringRef &text) {
  char first = text.front();
  Token::Kind kind = Token::mark;
  size_t length = 1;
  auto take = [&](Token::Kind made, size_t prefix) {
    kind = made;
    length = prefix + text.drop_front(prefix).take_while(isWordChar).size();
  };
  if (isSpace(first)) {
    kind = Token::blank;
    length =
        text.take_while([](char c) { return isSpace(c) && c != '\n'; }).size();
    length = std::max<size_t>(length, 1);
  } else if (first == '"') {
    kind = Token::text;
    size_t end = text.find('"', 1);
    length = end == StringRef::npos ? text.size() : end + 1;
  } else if (startsType(text)) {
    kind = Token::type;
    length = typeLength(text);
  } else if (first == '%' || first == '@' || first == '^') {
    take(Token::value, 1);
  } else if (first == '#' || first == '!') {
    kind = Token::attribute;
    length = 1 + typeLength(text.drop_front());
  } else if (isDigit(first) ||
             (first == '-' && text.size() > 1 && isDigit(text[1]))) {
    take(Token::number, 1);
  } else if (isWordChar(first)) {
    take(Token::word, 0);
    if (text.take_front(length).contains('.'))
      kind = Token::operation;
  }
  Token token{kind, text.take_front(length).str()};
  text = text.drop_front(length);
  return token;
}

IRMutator::IRMutator(ArrayRef<std::string> programs, size_t goodSeeds)
    : goodSeeds(goodSeeds) {
  for (StringRef program : programs) {
    Tokens &tokens = seeds.emplace_back();
    while (!program.empty()) {
      // Comments say what tests expect.
      if (program.starts_with("//")) {
        program = program.drop_until([](char c) { return c == '\n'; });
        continue;
      }
      tokens.push_back(takeToken(program));
      vocabulary[tokens.back().kind].push_back(tokens.back().spelling);
    }
  }
  for (std::vector<std::string> &words : vocabulary) {
    llvm::sort(words);
    words.erase(llvm::unique(words), words.end());
  }
}

/// Returns what may stand in a token's place, by its form at least.
std::string IRMutator::another(const Tokens &tokens, const Token &token) {
  Token::Kind kind = token.kind;
  if (kind == Token::value && below(8))
    for (unsigned tries = 0; tries < 64; ++tries)
      if (const Token &other = tokens[below(tokens.size())]; other.kind == kind)
        return other.spelling;
  if (kind == Token::operation && below(8)) {
    // One of the same dialect has a similar form.
    StringRef prefix = StringRef(token.spelling).split('.').first;
    for (unsigned tries = 0; tries < 64; ++tries)
      if (std::string other = vocabulary[kind][below(vocabulary[kind].size())];
          StringRef(other).starts_with(prefix))
        return other;
  }
  if (below(32) == 0)
    kind = Token::Kind(below(Token::mark + 1));
  if (kind == Token::number && below(2))
    return oddNumbers[below(std::size(oddNumbers))].str();
  if (kind == Token::type && below(2))
    return oddTypes[below(std::size(oddTypes))].str();
  const std::vector<std::string> &words = vocabulary[kind];
  return words.empty() ? "" : words[below(words.size())];
}

void IRMutator::changeToken(Tokens &tokens) {
  // What a program means lies in its numbers, types and operations.
  static constexpr Token::Kind kinds[] = {
      Token::number,    Token::number,    Token::number, Token::type,
      Token::type,      Token::type,      Token::value,  Token::operation,
      Token::operation, Token::attribute, Token::word,   Token::text,
      Token::mark};
  Token::Kind kind = kinds[below(std::size(kinds))];
  for (unsigned tries = 0; tries < 64; ++tries) {
    size_t at = below(tokens.size());
    if (tokens[at].kind != kind)
      continue;
    std::string before = tokens[at].spelling,
                after = another(tokens, tokens[at]);
    switch (below(kind == Token::type ? 12 : 32)) {
    case 0:
      tokens.erase(tokens.begin() + at);
      return;
    case 1:
      tokens.insert(tokens.begin() + at, {tokens[at].kind, after + " "});
      return;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
      // A name or type changed throughout keeps the program consistent.
      for (Token &token : tokens)
        if (token.spelling == before)
          token.spelling = after;
      return;
    default:
      tokens[at].spelling = after;
      return;
    }
  }
}

void IRMutator::changeLines(Tokens &tokens) {
  std::vector<Tokens> lines(1);
  for (Token &token : tokens) {
    lines.back().push_back(token);
    if (token.spelling == "\n")
      lines.emplace_back();
  }
  size_t from = below(lines.size()), to = below(lines.size());
  switch (below(4)) {
  case 0:
    std::swap(lines[from], lines[to]);
    break;
  case 1:
    lines.insert(lines.begin() + to, Tokens(lines[from]));
    break;
  case 2:
    lines.erase(lines.begin() + from);
    break;
  default: {
    // A line of another program.
    const Tokens &other = seeds[below(seeds.size())];
    size_t begin = below(other.size());
    for (; begin < other.size() && other[begin].spelling != "\n"; ++begin)
      ;
    Tokens line;
    for (size_t i = begin + 1; i < other.size(); ++i) {
      line.push_back(other[i]);
      if (other[i].spelling == "\n")
        break;
    }
    lines.insert(lines.begin() + to, std::move(line));
  }
  }
  tokens.clear();
  for (Tokens &line : lines)
    llvm::append_range(tokens, line);
}

std::string IRMutator::join(const Tokens &tokens) {
  std::string text;
  for (const Token &token : tokens)
    text += token.spelling;
  return text;
}

/// Changes a text that need not be one of tokens afterwards.
std::string IRMutator::spoil(std::string text) {
  if (text.empty())
    return text;
  size_t at = below(text.size());
  switch (below(4)) {
  case 0:
    return text.substr(0, at);
  case 1:
    text[at] = char(below(256));
    return text;
  case 2:
    text.insert(at, 1, char(below(256)));
    return text;
  default: {
    static constexpr StringLiteral brackets[] = {
        "(",        "[",       "{",     "<",         "tuple<",
        "module {", "tensor<", "{a = ", "(f32) -> ("};
    StringRef bracket = brackets[below(std::size(brackets))];
    std::string deep;
    for (size_t depth = size_t(1) << below(18); depth; --depth)
      deep += bracket;
    return text.substr(0, at) + deep + text.substr(at);
  }
  }
}

std::string IRMutator::mutate(uint64_t number) {
  random.seed(number);
  random.discard(8);
  Tokens tokens = seeds[below(below(8) ? goodSeeds : seeds.size())];
  for (size_t steps = below(4) ? 1 : below(6); steps; --steps)
    below(6) ? changeToken(tokens) : changeLines(tokens);
  std::string text = join(tokens);
  return below(16) ? text : spoil(std::move(text));
}
