//===- lib/Bundle/Bundle.cpp - kernels as C source --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Bundle/Bundle.h"

#include "Contents.h"
#include "Template.h"
#include "Texts.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack;
using namespace quack::bundle;

static constexpr StringLiteral beginText = R"c(
/* @FILE@.c - launches kernels through the CUDA driver
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by quack; not to be edited. The header says how to use it. Here are, in this order: tables
 * of what the kernels demand of a launch, the functions that launch by them, which are the same
 * in all such files, and the kernels' code as data. What is the driver's, its calls, structures
 * and numbers, is declared as the CUDA Driver API reference has it.
 */

#define _POSIX_C_SOURCE 200809L

#include "@FILE@.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
)c";

static constexpr StringLiteral tableText = R"c(
/* ---- The kernels --------------------------------------------------------------------- */

@TABLES@)c";

static constexpr StringLiteral functionText = R"c(
/* ---- What the header declares -------------------------------------------------------- */
@FUNCTIONS@)c";

static constexpr StringLiteral codeDeclarationText = R"c(
/* ---- The kernels' code, which ends this file ----------------------------------------- */

@if cubin
enum { ptx_line_count = @PTX_LINE_COUNT@, cubin_bytes = @CUBIN_BYTES@ };
static const char *const ptx_lines[ptx_line_count];
static const unsigned char cubin[cubin_bytes];
@else
enum { ptx_line_count = @PTX_LINE_COUNT@ };
static const char *const ptx_lines[ptx_line_count];
@end
)c";

static constexpr StringLiteral codeText = R"c(
/* ---- PTX, which drivers compile for their GPU ---------------------------------------- */

static const char *const ptx_lines[ptx_line_count] = {
@PTX_LINES@
};
@if cubin

/* ---- The same, assembled for @CHIP@ ----------------------------------------------------- */

static const unsigned char cubin[cubin_bytes] = {
@CUBIN@
};
@end
)c";

static std::string makeHeader(const Contents &contents, Filling &filling) {
  std::string &sources = filling.values["SOURCES"];
  for (const Source &source : contents.sources)
    sources += declareSource(source);
  return fillIn(headerText, filling);
}

static std::string makeSource(const Contents &contents, Filling &filling) {
  const BundleParts &parts = *contents.parts;
  std::vector<StringRef> ptxLines = splitLines(parts.ptx);
  filling.values["TABLES"] = defineTables(contents);
  filling.values["PTX_LINE_COUNT"] = std::to_string(ptxLines.size());
  filling.values["PTX_LINES"] = listLines(ptxLines);
  filling.values["CUBIN_BYTES"] = std::to_string(parts.cubin.size());
  filling.values["CUBIN"] = listBytes(parts.cubin);
  filling.values["CHIP"] = parts.metadata.chip;
  std::string &functions = filling.values["FUNCTIONS"];
  for (const Source &source : contents.sources)
    functions += defineSource(source, contents.hasWorkspace);
  std::string text;
  for (StringRef part :
       {beginText, declarationText, tableText, codeDeclarationText, driverText,
        loadText, checkText, launchText, functionText, codeText})
    text += (text.empty() ? "" : "\n") + fillIn(part, filling);
  return text;
}

Expected<std::vector<BundleFile>> quack::makeBundle(const BundleParts &parts) {
  Expected<Contents> contents = Contents::create(parts);
  if (!contents)
    return contents.takeError();
  const std::string &name = contents->name;
  Filling filling;
  filling.values["FILE"] = name;
  filling.conditions["workspace"] = contents->hasWorkspace;
  filling.conditions["cubin"] = !parts.cubin.empty();
  std::vector<BundleFile> files = {
      {name + ".ptx", parts.ptx},
      {name + ".json", formatv("{0:2}\n", parts.metadata.toJSON()).str()},
      {name + ".h", makeHeader(*contents, filling)},
      {name + ".c", makeSource(*contents, filling)}};
  if (!parts.cubin.empty())
    files.push_back({name + ".cubin", parts.cubin});
  return files;
}

Error quack::writeBundle(ArrayRef<BundleFile> files, StringRef folder) {
  auto fail = [](const Twine &what, std::error_code code) {
    return createStringError(code, "cannot " + what + ": " + code.message());
  };
  if (std::error_code code = sys::fs::create_directory(folder))
    return fail("make the folder '" + folder + "'", code);
  for (const BundleFile &file : files) {
    SmallString<128> path(folder);
    sys::path::append(path, file.name);
    Error error = writeToOutput(path, [&](raw_ostream &os) {
      os << file.contents;
      return Error::success();
    });
    if (error)
      return fail("write '" + path + "'", errorToErrorCode(std::move(error)));
  }
  return Error::success();
}
