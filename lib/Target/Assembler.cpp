//===- lib/Target/Assembler.cpp - which assembler there is ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for ptxas, then for nvJitLink.
//
//===----------------------------------------------------------------------===//

#include "quack/Target/Assembler.h"

#include "Assemblers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace quack;

/// Returns where CUDA toolkits are: folders called `folder` in them.
static SmallVector<std::string, 2> toolkitFolders(StringRef folder) {
  SmallVector<std::string, 2> folders;
  std::string home = sys::Process::GetEnv("CUDA_HOME").value_or("");
  for (StringRef root : {StringRef(home), StringRef("/usr/local/cuda")}) {
    SmallString<128> path(root);
    sys::path::append(path, folder);
    if (!root.empty())
      folders.emplace_back(path.str());
  }
  return folders;
}

/// Returns whether a variable says that there is none.
static bool isOff(const std::optional<std::string> &variable) {
  return variable && (variable->empty() || *variable == "off");
}

/// Returns the path of ptxas; empty if there is none.
static Expected<std::string> findPtxas() {
  auto given = sys::Process::GetEnv("QUACK_PTXAS");
  if (isOff(given))
    return "";
  if (given) {
    ErrorOr<std::string> path = sys::findProgramByName(*given);
    if (path && sys::fs::can_execute(*path))
      return *path;
    return createStringError("QUACK_PTXAS must name ptxas, or be 'off', got '" + *given +
                             "', which is no program");
  }
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return *path;
  auto folders = toolkitFolders("bin");
  ErrorOr<std::string> path =
      sys::findProgramByName("ptxas", SmallVector<StringRef, 2>(folders.begin(), folders.end()));
  return path ? *path : "";
}

/// Returns nvJitLink; null if there is none.
static Expected<std::unique_ptr<Assembler>> findNvJitLink() {
  auto given = sys::Process::GetEnv("QUACK_NVJITLINK");
  if (isOff(given))
    return nullptr;
  if (given) {
    Expected<std::unique_ptr<Assembler>> assembler = loadNvJitLink(*given);
    if (!assembler)
      return createStringError("QUACK_NVJITLINK must name libnvJitLink, or be 'off', got '" +
                               *given + "': " + toString(assembler.takeError()));
    return assembler;
  }
  for (StringRef name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    SmallVector<std::string, 3> places = {name.str()};
    for (const std::string &folder : toolkitFolders("lib64"))
      places.push_back(folder + "/" + name.str());
    for (const std::string &place : places) {
      Expected<std::unique_ptr<Assembler>> assembler = loadNvJitLink(place);
      if (assembler)
        return assembler;
      consumeError(assembler.takeError());
    }
  }
  return nullptr;
}

Expected<std::unique_ptr<Assembler>> Assembler::find() {
  Expected<std::string> ptxas = findPtxas();
  if (!ptxas)
    return ptxas.takeError();
  if (!ptxas->empty())
    return createPtxas(*ptxas);
  return findNvJitLink();
}

Expected<const Assembler *> Assembler::process() {
  // Never destroyed: threads may outlive static objects.
  static std::string &problem = *new std::string;
  static const Assembler *assembler = []() -> const Assembler * {
    Expected<std::unique_ptr<Assembler>> found = find();
    if (found)
      return found->release();
    problem = toString(found.takeError());
    return nullptr;
  }();
  if (!problem.empty())
    return createStringError(problem);
  return assembler;
}
