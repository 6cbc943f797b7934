//===- test/Fuzz/MutatePTX.cpp - libFuzzer's mutations of PTX ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bytes rarely are PTX. These mutations keep most of a text in shape:
// they move, repeat and drop lines, and give an instruction another modifier,
// register or constant, mostly one that stands elsewhere in the text. The first
// QUACK_FUZZ_HEADER bytes, a target's choices, are no text.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace llvm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {
/// What a token is, by its first characters.
enum class Kind { other, name, modifier, reg, number };

struct Token {
  Kind kind;
  std::string text;
};

class Mutation {
public:
  Mutation(StringRef text, unsigned seed) : random(seed) {
    SmallVector<StringRef, 64> parts;
    text.split(parts, '\n');
    for (StringRef part : parts)
      lines.push_back(part.str());
  }

  std::string run() {
    unsigned steps = 1 + below(3);
    for (unsigned i = 0; i < steps; ++i)
      below(3) ? changeToken() : changeLines();
    return join(lines, "\n");
  }

  /// Puts lines of `other` among these.
  std::string mix(StringRef other) {
    SmallVector<StringRef, 64> parts;
    other.split(parts, '\n');
    size_t from = below(parts.size());
    size_t count = std::min<size_t>(1 + below(8), parts.size() - from);
    size_t at = below(lines.size());
    for (size_t i = 0; i < count; ++i)
      lines.insert(lines.begin() + at + i, parts[from + i].str());
    return join(lines, "\n");
  }

private:
  std::vector<std::string> lines;
  std::mt19937 random;

  size_t below(size_t bound) { return bound ? random() % bound : 0; }

  void changeLines() {
    size_t from = below(lines.size()), to = below(lines.size());
    switch (below(4)) {
    case 0:
      std::swap(lines[from], lines[to]);
      break;
    case 1: {
      std::string copy = lines[from];
      lines.insert(lines.begin() + to, copy);
      break;
    }
    case 2:
      if (lines.size() > 1)
        lines.erase(lines.begin() + from);
      break;
    default:
      lines[from] = "@" + std::string(below(2) ? "!" : "") + "%p" +
                    std::to_string(below(10)) + " " + lines[from];
    }
  }

  static std::vector<Token> tokenize(StringRef line) {
    std::vector<Token> tokens;
    while (!line.empty()) {
      char first = line.front();
      Kind kind = first == '.'                     ? Kind::modifier
                  : first == '%'                   ? Kind::reg
                  : isDigit(first)                 ? Kind::number
                  : isAlpha(first) || first == '_' ? Kind::name
                                                   : Kind::other;
      size_t length = 1;
      if (kind != Kind::other)
        while (length < line.size() &&
               (isAlnum(line[length]) || line[length] == '_' ||
                line[length] == ':'))
          ++length;
      tokens.push_back({kind, line.take_front(length).str()});
      line = line.drop_front(length);
    }
    return tokens;
  }

  std::string anyOf(Kind kind) {
    for (unsigned tries = 0; tries < 16; ++tries) {
      std::vector<Token> tokens = tokenize(lines[below(lines.size())]);
      std::vector<std::string> found;
      for (Token &token : tokens)
        if (token.kind == kind)
          found.push_back(token.text);
      if (!found.empty())
        return found[below(found.size())];
    }
    return "0";
  }

  std::string interestingModifier() {
    static constexpr const char *list[] = {".relaxed",
                                           ".acquire",
                                           ".release",
                                           ".cta",
                                           ".cluster",
                                           ".gpu",
                                           ".aligned",
                                           ".shared",
                                           ".global",
                                           ".local",
                                           ".generic",
                                           ".nc",
                                           ".v2",
                                           ".v4",
                                           ".b8",
                                           ".b16",
                                           ".b32",
                                           ".b64",
                                           ".u32",
                                           ".s32",
                                           ".f16",
                                           ".f16x2",
                                           ".bf16",
                                           ".bf16x2",
                                           ".f32",
                                           ".f64",
                                           ".pred",
                                           ".sync",
                                           ".noinc",
                                           ".read",
                                           ".ftz",
                                           ".sat",
                                           ".rz",
                                           ".wide",
                                           ".hi",
                                           ".approx",
                                           ".arrive",
                                           ".parity",
                                           ".bulk",
                                           ".noComplete",
                                           ".shared::cluster",
                                           ".shared::cta",
                                           ".expect_tx",
                                           ".multicast::cluster",
                                           ".mbarrier::complete_tx::bytes"};
    return list[below(std::size(list))];
  }

  std::string interestingNumber() {
    static constexpr const char *list[] = {"0",
                                           "1",
                                           "-1",
                                           "2",
                                           "3",
                                           "4",
                                           "7",
                                           "8",
                                           "15",
                                           "16",
                                           "17",
                                           "31",
                                           "32",
                                           "33",
                                           "63",
                                           "64",
                                           "96",
                                           "128",
                                           "1024",
                                           "4096",
                                           "8192",
                                           "2147483647",
                                           "-2147483648",
                                           "4294967295",
                                           "1048575",
                                           "1048576",
                                           "0x80000000",
                                           "0xffffffff",
                                           "9223372036854775807",
                                           "0f7F800000",
                                           "0f7FC00000"};
    return list[below(std::size(list))];
  }

  void changeToken() {
    std::string &line = lines[below(lines.size())];
    std::vector<Token> tokens = tokenize(line);
    std::vector<size_t> places;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].kind != Kind::other)
        places.push_back(i);
    if (places.empty())
      return;
    size_t place = places[below(places.size())];
    Token &token = tokens[place];
    switch (token.kind) {
    case Kind::modifier:
      switch (below(4)) {
      case 0:
        token.text.clear();
        break;
      case 1:
        token.text += interestingModifier();
        break;
      case 2:
        token.text = interestingModifier();
        break;
      default:
        token.text = anyOf(Kind::modifier);
      }
      break;
    case Kind::reg:
      token.text = below(8) ? anyOf(Kind::reg) : anyOf(Kind::number);
      break;
    case Kind::number:
      token.text = below(8) ? interestingNumber() : anyOf(Kind::reg);
      break;
    default:
      token.text = anyOf(Kind::name);
    }
    line.clear();
    for (const Token &part : tokens)
      line += part.text;
  }
};
} // namespace

static size_t put(const std::string &text, uint8_t *data, size_t most) {
  size_t size = std::min(text.size(), most - QUACK_FUZZ_HEADER);
  std::memcpy(data + QUACK_FUZZ_HEADER, text.data(), size);
  return size + QUACK_FUZZ_HEADER;
}

static StringRef textOf(const uint8_t *data, size_t size) {
  return StringRef(reinterpret_cast<const char *>(data), size)
      .drop_front(QUACK_FUZZ_HEADER);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  if (size <= QUACK_FUZZ_HEADER || most <= QUACK_FUZZ_HEADER || seed % 32 == 0)
    return LLVMFuzzerMutate(data, size, most);
  if (QUACK_FUZZ_HEADER && seed % 8 == 1) {
    LLVMFuzzerMutate(data, QUACK_FUZZ_HEADER, QUACK_FUZZ_HEADER);
    return size;
  }
  return put(Mutation(textOf(data, size), seed).run(), data, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  if (size <= QUACK_FUZZ_HEADER || otherSize <= QUACK_FUZZ_HEADER ||
      most <= QUACK_FUZZ_HEADER)
    return 0;
  std::memcpy(out, data, QUACK_FUZZ_HEADER);
  return put(Mutation(textOf(data, size), seed).mix(textOf(other, otherSize)),
             out, most);
}
