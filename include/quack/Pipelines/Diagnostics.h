//===- include/quack/Pipelines/Diagnostics.h - what was said ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as data, which outlive the context that they were said in.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PIPELINES_DIAGNOSTICS_H
#define QUACK_PIPELINES_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace quack {

/// One diagnostic; notes follow what they belong to.
struct SourceDiagnostic {
  mlir::DiagnosticSeverity severity = mlir::DiagnosticSeverity::Error;
  std::string message;
  std::string file;         ///< empty if it has no place
  unsigned line = 0;        ///< from 1; 0 if it has no place
  unsigned column = 0;

  /// Returns it as compilers print it: `file:line:column: error: message`.
  std::string str() const;
};

/// Gathers what is said in a context while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  std::vector<SourceDiagnostic> take() { return std::move(said); }

private:
  void add(mlir::Diagnostic &diagnostic);

  std::vector<SourceDiagnostic> said;
  mlir::ScopedDiagnosticHandler handler;
};

/// That a program does not compile, with all that was said of it.
class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  static char ID;
  explicit CompileError(std::vector<SourceDiagnostic> diagnostics)
      : said(std::move(diagnostics)) {}
  llvm::ArrayRef<SourceDiagnostic> diagnostics() const { return said; }
  /// Writes a line for each.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::vector<SourceDiagnostic> said;
};

} // namespace quack

#endif // QUACK_PIPELINES_DIAGNOSTICS_H
