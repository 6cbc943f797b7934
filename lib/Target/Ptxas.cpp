//===- lib/Target/Ptxas.cpp - the assembler as a program --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ptxas on files in a directory of its own. LLVM's way to wait for a program
// with a limit sets the process's alarm, which is not a library's.
//
//===----------------------------------------------------------------------===//

#include "Assemblers.h"

#include "quack/Support/FileIdentity.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

using namespace llvm;
using namespace quack;

extern char **environ;

namespace {
class Ptxas : public Assembler {
public:
  Ptxas(std::string path, std::chrono::milliseconds limit)
      : path(std::move(path)), limit(limit) {}

  Expected<Cubin> assemble(StringRef ptx, StringRef chip) const override;
  std::string identity() const override { return fileIdentity(path); }

private:
  Expected<std::string> run(ArrayRef<std::string> arguments, const std::string &log) const;
  std::string describe(const std::string &log) const;

  std::string path;
  std::chrono::milliseconds limit;
};
} // namespace

static std::string readText(const std::string &path) {
  auto text = MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().trim().str() : "";
}

static Error writeText(const std::string &path, StringRef text) {
  std::error_code error;
  raw_fd_ostream file(path, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}

/// Waits for a process; returns its status, or nothing if it had to be killed.
static std::optional<int> await(pid_t process, std::chrono::milliseconds limit) {
  auto end = std::chrono::steady_clock::now() + limit;
  int status = -1;
  constexpr std::chrono::milliseconds longest(20);
  for (std::chrono::milliseconds pause(1);; pause = std::min(2 * pause, longest)) {
    pid_t done = sys::RetryAfterSignal(-1, ::waitpid, process, &status, WNOHANG);
    // A process that ignores SIGCHLD is not told how its children end.
    if (done < 0)
      return 0;
    if (done > 0)
      return status;
    if (std::chrono::steady_clock::now() > end)
      break;
    std::this_thread::sleep_for(pause);
  }
  ::kill(process, SIGKILL);
  sys::RetryAfterSignal(-1, ::waitpid, process, &status, 0);
  return std::nullopt;
}

/// Runs ptxas, which writes to the file `log`, and returns what it wrote.
Expected<std::string> Ptxas::run(ArrayRef<std::string> arguments, const std::string &log) const {
  std::vector<char *> words = {const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  scope_exit destroy([&] { ::posix_spawn_file_actions_destroy(&files); });
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t process;
  if (int error = ::posix_spawn(&process, path.c_str(), &files, nullptr, words.data(), environ))
    return createStringError("'" + path + "' cannot be run: " + sys::StrError(error));
  std::optional<int> status = await(process, limit);
  if (!status)
    return createStringError("'" + path + "' was stopped after " +
                             Twine(limit.count()) + " ms");
  std::string said = readText(log);
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0)
    return said;
  if (WIFSIGNALED(*status))
    return createStringError("'" + path + "' was ended by signal " + Twine(WTERMSIG(*status)));
  // The first faults say most.
  return createStringError("'" + path + "' failed: " + StringRef(said).take_front(4000));
}

/// Returns its name and, where it says so, its version.
std::string Ptxas::describe(const std::string &log) const {
  Expected<std::string> said = run({"--version"}, log);
  if (!said) {
    consumeError(said.takeError());
    return "ptxas";
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef version = StringRef(*said).split(", V").second.take_while(
      [](char c) { return isDigit(c) || c == '.'; });
  return version.empty() ? "ptxas" : "ptxas " + version.str();
}

Expected<Cubin> Ptxas::assemble(StringRef ptx, StringRef chip) const {
  SmallString<128> directory;
  if (std::error_code error = sys::fs::createUniqueDirectory("quack-ptxas", directory))
    return createStringError("cannot make a directory for ptxas: " + error.message());
  scope_exit remove([&] { sys::fs::remove_directories(directory); });
  std::string source = (directory + "/kernels.ptx").str(),
              result = (directory + "/kernels.cubin").str(), log = (directory + "/log").str();
  if (Error error = writeText(source, ptx))
    return error;
  Expected<std::string> said = run({("-arch=" + chip).str(), source, "-o", result}, log);
  if (!said)
    return said.takeError();
  auto bytes = MemoryBuffer::getFile(result);
  if (!bytes || (*bytes)->getBufferSize() == 0)
    return createStringError("'" + path + "' wrote no cubin: " + *said);
  Cubin cubin;
  cubin.bytes.assign((*bytes)->getBuffer().bytes_begin(), (*bytes)->getBuffer().bytes_end());
  cubin.madeBy = describe(log);
  return cubin;
}

std::unique_ptr<Assembler> quack::createPtxas(std::string path,
                                              std::chrono::milliseconds limit) {
  return std::make_unique<Ptxas>(std::move(path), limit);
}
