//===- Stages.cpp - what compilations and reports share ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

using namespace mlir;
using namespace quack;

LogicalResult quack::runPasses(ModuleOp module,
                               function_ref<void(PassManager &)> add) {
  PassManager pm(module.getContext());
  add(pm);
  return pm.run(module);
}
