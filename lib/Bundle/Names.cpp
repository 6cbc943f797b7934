//===- lib/Bundle/Names.cpp - C names of kernels ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace quack;
using namespace quack::bundle;

static bool isPartOfIdentifier(char c) { return isAlnum(c) || c == '_'; }

bool quack::bundle::isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, isPartOfIdentifier);
}

Scope::Scope(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    taken.insert(name);
}

std::string Scope::add(StringRef name) {
  std::string identifier;
  // Such names are the implementation's (C99 7.1.3).
  if (name.starts_with("_"))
    identifier = "x";
  for (char c : name)
    identifier += isPartOfIdentifier(c) ? c : '_';
  while (!taken.insert(identifier).second)
    identifier += '_';
  return identifier;
}

Scope quack::bundle::makeParameterScope() {
  static const StringRef names[] = {
      // Keywords of C up to C23 and of C++ up to C++23.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
      "bool", "break", "case", "catch", "char", "char8_t", "char16_t",
      "char32_t", "class", "co_await", "co_return", "co_yield", "compl",
      "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
      "float", "for", "friend", "goto", "if", "inline", "int", "long",
      "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "restrict", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
      "template", "this", "thread_local", "throw", "true", "try", "typedef",
      "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned",
      "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
      "xor_eq",
      // Macros, of the headers and of compilers, and types.
      "NULL", "EOF", "assert", "errno", "linux", "unix", "i386", "stdin",
      "stdout", "stderr", "offsetof", "signals", "slots", "emit", "int32_t",
      "int64_t", "size_t",
      // What the functions have beside operands, and what they call.
      "launch", "no_row_stride", "parameters", "rows", "stream", "workspace",
      "workspace_bytes"};
  return Scope(names);
}

std::string quack::bundle::describeInName(const KernelMetadata &kernel) {
  std::string name = kernel.name + "_" + std::to_string(kernel.columns);
  SmallVector<StringRef> types;
  SmallVector<int64_t> columns;
  for (const OperandMetadata &operand : kernel.operands) {
    if (operand.role != "value" && !is_contained(types, operand.type))
      types.push_back(operand.type);
    if (operand.hasOwnColumns() && !is_contained(columns, operand.columns))
      columns.push_back(operand.columns);
  }
  for (int64_t count : columns)
    name += "_" + std::to_string(count);
  for (StringRef type : types)
    name += "_" + type.str();
  return name;
}
