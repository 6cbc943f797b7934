//===- tools/quack-opt/Bundle.cpp - kernels as C source ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "quack/Bundle/Bundle.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace quack;

static Expected<std::string> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError(file.getError(), "cannot read " + path);
  return (*file)->getBuffer().str();
}

/// Runs `ptxas` in a folder that has `kernels.ptx`.
static Expected<std::string> runPtxas(StringRef ptxas, StringRef folder,
                                      StringRef chip) {
  std::string arch = ("-arch=" + chip).str(),
              input = (folder + "/kernels.ptx").str(),
              output = (folder + "/kernels.cubin").str(),
              log = (folder + "/log").str();
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string problem;
  int status = sys::ExecuteAndWait(ptxas, {ptxas, arch, "-o", output, input},
                                   std::nullopt, redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &problem);
  if (status == 0)
    return readFile(output);
  Expected<std::string> said = readFile(log);
  std::string text =
      said ? StringRef(*said).trim().str() : toString(said.takeError());
  return createStringError(
      "ptxas refuses the PTX (--cubin=false leaves the cubin out): " +
      (text.empty() ? problem : text));
}

/// Returns the cubin of `ptx`; nothing where there is no ptxas.
static Expected<std::string> assemble(StringRef ptx, StringRef chip) {
  ErrorOr<std::string> ptxas = sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (!ptxas)
    return "";
  SmallString<128> folder;
  if (std::error_code code =
          sys::fs::createUniqueDirectory("quack-ptxas", folder))
    return createStringError(code, "cannot make a temporary folder: " +
                                       code.message());
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  Error error =
      writeToOutput((folder + "/kernels.ptx").str(), [&](raw_ostream &os) {
        os << ptx;
        return Error::success();
      });
  if (error)
    return error;
  return runPtxas(*ptxas, folder, chip);
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
