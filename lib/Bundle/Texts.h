//===- lib/Bundle/Texts.h - the text of a bundle's C file -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same in every bundle, as Template.h fills it in: from the top of
// the C file to its end, in this order. The tables of kernels stand after the
// declarations, the functions of the header after the launches.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_BUNDLE_TEXTS_H
#define QUACK_LIB_BUNDLE_TEXTS_H

#include "llvm/ADT/StringRef.h"

namespace quack::bundle {

extern const llvm::StringLiteral headerText;      ///< the header
extern const llvm::StringLiteral declarationText; ///< what describes kernels
extern const llvm::StringLiteral driverText; ///< errors, finding the driver
extern const llvm::StringLiteral loadText;   ///< modules, once a context
extern const llvm::StringLiteral checkText;  ///< arguments, which variant
extern const llvm::StringLiteral launchText; ///< grids, stages

} // namespace quack::bundle

#endif // QUACK_LIB_BUNDLE_TEXTS_H
