//===- lib/Bundle/Template.cpp - text with gaps -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Template.h"

#include <cassert>

using namespace llvm;
using namespace quack::bundle;

/// Appends `line` with its gaps filled.
static void fillLine(StringRef line, const Filling &filling,
                     std::string &result) {
  for (;;) {
    auto [before, rest] = line.split('@');
    result += before;
    if (rest.empty())
      return;
    auto [name, after] = rest.split('@');
    auto value = filling.values.find(name);
    assert(value != filling.values.end() && "a gap without a value");
    result += StringRef(value->second).rtrim('\n');
    line = after;
  }
}

std::string quack::bundle::fillIn(StringRef text, const Filling &filling) {
  std::string result;
  text.consume_front("\n");
  bool holds = true;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.consume_front("@if ")) {
      auto condition = filling.conditions.find(line);
      assert(condition != filling.conditions.end() && "an unknown condition");
      holds = condition->second;
    } else if (line == "@else") {
      holds = !holds;
    } else if (line == "@end") {
      holds = true;
    } else if (holds) {
      fillLine(line, filling, result);
      result += '\n';
    }
  }
  return result;
}
