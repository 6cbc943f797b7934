//===- lib/Pipelines/ReadModule.cpp - text to modules -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts brackets outside strings and comments, and signs in a row, then hands the text to
// MLIR.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/ReadModule.h"

#include "quack/Kernels/Library.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace quack;

/// More than programs have, less than any stack holds.
static constexpr unsigned maxNesting = 256;

/// Returns the bracket or the minus that lies too deep; the end of the text if none does.
static size_t findTooDeep(StringRef text) {
  unsigned depth = 0, signs = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    // `- - -d0` in an affine map nests, too.
    if (text[i] == '-' && ++signs > maxNesting)
      return i;
    if (text[i] != '-' && !llvm::isSpace(text[i]))
      signs = 0;
    switch (text[i]) {
    case '"':
      // To the end of the string, which does not cross a line.
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
      break;
    case '/':
      if (text.substr(i, 2) == "//")
        i = std::min(text.find('\n', i), text.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > maxNesting)
        return i;
      break;
    case '>':
      if (i > 0 && text[i - 1] == '-')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return text.size();
}

LogicalResult quack::checkNesting(const llvm::MemoryBuffer &buffer,
                                  MLIRContext *context) {
  if (isBytecode(buffer.getMemBufferRef()))
    return success();
  StringRef text = buffer.getBuffer();
  size_t at = findTooDeep(text);
  if (at == text.size())
    return success();
  StringRef before = text.take_front(at);
  unsigned line = before.count('\n') + 1,
           column = at - (before.rfind('\n') + 1) + 1;
  return emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(),
                                       line, column))
         << (text[at] == '-' ? "signs" : "brackets") << " must not be nested more than " << maxNesting << " deep";
}

std::unique_ptr<llvm::MemoryBuffer> quack::openProgram(StringRef name, std::string *error) {
  if (!name.consume_front("library:"))
    return openInputFile(name, error);
  llvm::Expected<StringRef> text = findLibraryKernel(name);
  if (text)
    return llvm::MemoryBuffer::getMemBuffer(*text, name.str() + ".mlir");
  *error = toString(text.takeError());
  return nullptr;
}

OwningOpRef<ModuleOp>
quack::readModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                  MLIRContext *context) {
  if (failed(checkNesting(*sources->getMemoryBuffer(sources->getMainFileID()),
                          context)))
    return {};
  return parseSourceFile<ModuleOp>(sources, context);
}

OwningOpRef<ModuleOp> quack::readText(StringRef text, StringRef name, MLIRContext *context) {
  if (isBytecode({text, name})) {
    emitError(FileLineColLoc::get(context, name, 1, 1))
        << "a program must be text, got MLIR's bytecode";
    return {};
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  return readModule(sources, context);
}
