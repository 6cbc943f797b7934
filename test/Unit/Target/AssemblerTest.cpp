//===- AssemblerTest.cpp - PTX to cubin ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which assembler is found, and what becomes of what it says: on scripts in
// ptxas's place, and on NVIDIA's own where they are installed.
//
//===----------------------------------------------------------------------===//

#include "Target/Assemblers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>

using namespace llvm;
using namespace quack;

static constexpr StringLiteral goodPTX(
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n");

namespace {
/// A directory for programs; the process's variables are set back at the end.
class AssemblerTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assembler", root));
    for (const char *name : {"QUACK_PTXAS", "QUACK_NVJITLINK", "CUDA_HOME", "PATH", "TMPDIR"})
      saved.emplace_back(name, std::getenv(name) ? std::getenv(name) : "");
    ::unsetenv("QUACK_PTXAS");
    ::unsetenv("QUACK_NVJITLINK");
  }
  void TearDown() override {
    for (auto &[name, value] : saved)
      value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
    sys::fs::remove_directories(root);
  }
  static void set(const char *name, const Twine &value) {
    ::setenv(name, value.str().c_str(), 1);
  }

  /// Writes a shell script, whose arguments are -arch=, the source, -o and the result, or
  /// --version; returns its path.
  std::string script(StringRef name, StringRef body) const {
    std::string path = (root + "/" + name).str();
    std::error_code error = sys::fs::create_directories(path.substr(0, path.rfind('/')));
    raw_fd_ostream(path, error) << "#!/bin/sh\n" << body << "\n";
    EXPECT_FALSE(error);
    EXPECT_FALSE(sys::fs::setPermissions(path, sys::fs::all_all));
    return path;
  }
  static std::string errorOf(const Assembler &assembler) {
    return toString(assembler.assemble(goodPTX, "sm_90").takeError());
  }
  static std::string textOf(const Cubin &cubin) {
    return std::string(cubin.bytes.begin(), cubin.bytes.end());
  }
  /// Returns the identity of what is found, "none", or the error.
  static std::string found() {
    Expected<std::unique_ptr<Assembler>> assembler = Assembler::find();
    if (!assembler)
      return toString(assembler.takeError());
    return *assembler ? (*assembler)->identity() : "none";
  }
  /// Expects that `assembler` makes a cubin, and says what is wrong with bad PTX.
  static void expectWorks(const Assembler &assembler, StringRef name) {
    Expected<Cubin> cubin = assembler.assemble(goodPTX, "sm_90");
    ASSERT_TRUE(bool(cubin)) << toString(cubin.takeError());
    EXPECT_TRUE(StringRef(textOf(*cubin)).starts_with("\x7f" "ELF"));
    EXPECT_NE(textOf(*cubin).find(".text.k"), std::string::npos);
    EXPECT_TRUE(StringRef(cubin->madeBy).starts_with(name)) << cubin->madeBy;
    EXPECT_NE(cubin->madeBy.find('.'), std::string::npos) << cubin->madeBy;
    // The same from the same.
    Expected<Cubin> again = assembler.assemble(goodPTX, "sm_90");
    ASSERT_TRUE(bool(again));
    EXPECT_EQ(again->bytes, cubin->bytes);
    std::string bad = (goodPTX + ".visible .entry m() { rot; }").str();
    std::string error = toString(assembler.assemble(bad, "sm_90").takeError());
    EXPECT_NE(error.find("line 5"), std::string::npos) << error;
    std::string tooNew = (".version 99.0" + goodPTX.drop_front(12)).str();
    error = toString(assembler.assemble(tooNew, "sm_90").takeError());
    EXPECT_NE(error.find("version"), std::string::npos) << error;
    EXPECT_NE(toString(assembler.assemble("", "sm_90").takeError()), "");
    error = toString(assembler.assemble(goodPTX, "sm_1").takeError());
    EXPECT_NE(error.find("sm_1"), std::string::npos) << error;
  }

  SmallString<128> root;
  std::vector<std::pair<const char *, std::string>> saved;
};
} // namespace

TEST_F(AssemblerTest, runsAProgram) {
  auto ptxas = createPtxas(script("ptxas", R"(
    [ "$1" = --version ] && echo "release 9.5, V9.5.12" && exit
    echo "$1 $3" > "$4"; cat "$2" >> "$4"; head -c 5 >> "$4")"));
  Expected<Cubin> cubin = ptxas->assemble(goodPTX, "sm_90a");
  ASSERT_TRUE(bool(cubin)) << toString(cubin.takeError());
  EXPECT_EQ(textOf(*cubin), ("-arch=sm_90a -o\n" + goodPTX).str());
  EXPECT_EQ(cubin->madeBy, "ptxas 9.5.12");
}

TEST_F(AssemblerTest, leavesNoFiles) {
  set("TMPDIR", root);
  std::string good = script("bin/good", "echo x > \"$4\""), bad = script("bin/bad", "exit 1");
  EXPECT_TRUE(bool(createPtxas(good)->assemble(goodPTX, "sm_90")));
  consumeError(createPtxas(bad)->assemble(goodPTX, "sm_90").takeError());
  std::error_code error;
  size_t count = 0;
  for (sys::fs::directory_iterator file(root, error), end; file != end; file.increment(error))
    ++count;
  EXPECT_EQ(count, 1u); // bin
  set("TMPDIR", root + "/nowhere");
  EXPECT_EQ(errorOf(*createPtxas(good)),
            "cannot make a directory for ptxas: No such file or directory");
}

TEST_F(AssemblerTest, saysWhatWentWrong) {
  std::string path = script("ptxas", "echo 'line 1; fault' >&2; echo more; exit 3");
  EXPECT_EQ(errorOf(*createPtxas(path)), "'" + path + "' failed: line 1; fault\nmore");
  path = script("idle", "echo nothing to do");
  EXPECT_EQ(errorOf(*createPtxas(path)), "'" + path + "' wrote no cubin: nothing to do");
  path = script("killed", "kill -9 $$");
  EXPECT_EQ(errorOf(*createPtxas(path)), "'" + path + "' was ended by signal 9");
  path = (root + "/nowhere").str();
  EXPECT_EQ(errorOf(*createPtxas(path)),
            "'" + path + "' cannot be run: No such file or directory");
}

TEST_F(AssemblerTest, worksWhereChildrenAreIgnored) {
  std::string good = script("good", "echo x > \"$4\""), bad = script("bad", "echo fault; exit 1");
  ::signal(SIGCHLD, SIG_IGN);
  Expected<Cubin> cubin = createPtxas(good)->assemble(goodPTX, "sm_90");
  EXPECT_TRUE(bool(cubin));
  consumeError(cubin.takeError());
  EXPECT_EQ(errorOf(*createPtxas(bad)), "'" + bad + "' wrote no cubin: fault");
  ::signal(SIGCHLD, SIG_DFL);
}

TEST_F(AssemblerTest, isStopped) {
  std::string path = script("ptxas", "exec sleep 60");
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(errorOf(*createPtxas(path, std::chrono::milliseconds(200))),
            "'" + path + "' was stopped after 200 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(AssemblerTest, isFound) {
  set("QUACK_NVJITLINK", "off");
  std::string given = script("given/as", ""), inPath = script("path/ptxas", ""),
              inToolkit = script("toolkit/bin/ptxas", "");
  set("CUDA_HOME", root + "/toolkit");
  set("PATH", root + "/empty");
  EXPECT_TRUE(StringRef(found()).starts_with(inToolkit + ":")) << found();
  set("PATH", root + "/path");
  EXPECT_TRUE(StringRef(found()).starts_with(inPath + ":")) << found();
  set("QUACK_PTXAS", given);
  EXPECT_TRUE(StringRef(found()).starts_with(given + ":")) << found();
  for (StringRef off : {"", "off"}) {
    set("QUACK_PTXAS", off);
    EXPECT_EQ(found(), "none");
  }
  for (std::string wrong : {(root + "/nowhere").str(), std::string("nowhere")}) {
    set("QUACK_PTXAS", wrong);
    EXPECT_EQ(found(), "QUACK_PTXAS must name ptxas, or be 'off', got '" + wrong +
                           "', which is no program");
  }
}

TEST_F(AssemblerTest, identityFollowsTheFile) {
  std::string path = script("ptxas", "one");
  std::string before = createPtxas(path)->identity();
  EXPECT_EQ(createPtxas(path)->identity(), before);
  script("ptxas", "another");
  EXPECT_NE(createPtxas(path)->identity(), before);
}

TEST_F(AssemblerTest, libraryMustBeOne) {
  set("QUACK_PTXAS", "off");
  set("QUACK_NVJITLINK", "libm.so.6");
  EXPECT_EQ(found(), "QUACK_NVJITLINK must name libnvJitLink, or be 'off', got 'libm.so.6': it "
                     "has no version (nvJitLinkVersion)");
  set("QUACK_NVJITLINK", root + "/nowhere.so");
  EXPECT_TRUE(StringRef(found()).ends_with(
      "nowhere.so: cannot open shared object file: No such file or directory"))
      << found();
}

TEST_F(AssemblerTest, ptxas) {
  set("QUACK_NVJITLINK", "off");
  Expected<std::unique_ptr<Assembler>> ptxas = Assembler::find();
  ASSERT_TRUE(bool(ptxas)) << toString(ptxas.takeError());
  if (!*ptxas)
    GTEST_SKIP() << "no ptxas";
  expectWorks(**ptxas, "ptxas ");
}

TEST_F(AssemblerTest, nvJitLink) {
  set("QUACK_PTXAS", "off");
  Expected<std::unique_ptr<Assembler>> library = Assembler::find();
  ASSERT_TRUE(bool(library)) << toString(library.takeError());
  if (!*library)
    GTEST_SKIP() << "no libnvJitLink";
  EXPECT_NE((*library)->identity().find("libnvJitLink.so."), std::string::npos);
  expectWorks(**library, "nvJitLink ");
}

TEST_F(AssemblerTest, processKeepsWhatItFound) {
  set("QUACK_PTXAS", script("ptxas", ""));
  Expected<const Assembler *> first = Assembler::process();
  ASSERT_TRUE(bool(first));
  set("QUACK_PTXAS", "nowhere");
  Expected<const Assembler *> second = Assembler::process();
  ASSERT_TRUE(bool(second));
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, nullptr);
}
