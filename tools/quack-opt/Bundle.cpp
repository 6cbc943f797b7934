//===- tools/quack-opt/Bundle.cpp - kernels as C source ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "quack/Bundle/Bundle.h"
#include "quack/Target/Assembler.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack;

/// Returns the cubin of `ptx`; nothing where there is no assembler.
static Expected<std::string> assemble(StringRef ptx, StringRef chip) {
  Expected<const Assembler *> assembler = Assembler::process();
  if (!assembler)
    return assembler.takeError();
  if (!*assembler)
    return "";
  Expected<Cubin> cubin = (*assembler)->assemble(ptx, chip);
  if (!cubin)
    return createStringError("the PTX was refused (--cubin=false leaves the cubin out): " +
                             toString(cubin.takeError()));
  return std::string(cubin->bytes.begin(), cubin->bytes.end());
}

Error quack::emitBundle(CompiledModule result, const DriverOptions &options,
                        StringRef folder) {
  BundleParts parts;
  parts.ptx = std::move(result.text);
  parts.metadata = std::move(result.metadata);
  parts.name = options.name;
  if (options.cubin) {
    Expected<std::string> cubin = assemble(parts.ptx, parts.metadata.chip);
    if (!cubin)
      return cubin.takeError();
    if (cubin->empty())
      errs()
          << "quack-opt: remark: there is no ptxas: the bundle has no cubin\n";
    parts.cubin = std::move(*cubin);
  }
  Expected<std::vector<BundleFile>> files = makeBundle(parts);
  return files ? writeBundle(*files, folder) : files.takeError();
}
