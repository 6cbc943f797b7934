//===- lib/Pipelines/Diagnostics.cpp - what was said ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies MLIR's diagnostics.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("no other severity");
}

std::string SourceDiagnostic::str() const {
  std::string text = (nameOf(severity) + ": " + message).str();
  return line ? llvm::formatv("{0}:{1}:{2}: {3}", file, line, column, text).str() : text;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        add(diagnostic);
        return success();
      }) {}

void DiagnosticCollector::add(Diagnostic &diagnostic) {
  SourceDiagnostic entry;
  entry.severity = diagnostic.getSeverity();
  entry.message = diagnostic.str();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  // Line 0 is the file as a whole.
  if (place && place.getLine() > 0) {
    entry.file = place.getFilename().str();
    entry.line = place.getLine();
    entry.column = place.getColumn();
  }
  said.push_back(std::move(entry));
  for (Diagnostic &note : diagnostic.getNotes())
    add(note);
}

char CompileError::ID = 0;

void CompileError::log(llvm::raw_ostream &os) const {
  llvm::interleave(said, os, [&](const SourceDiagnostic &entry) { os << entry.str(); }, "\n");
}

std::error_code CompileError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
