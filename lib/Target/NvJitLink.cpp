//===- lib/Target/NvJitLink.cpp - the assembler as a library ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvJitLink by dlopen (docs.nvidia.com/cuda/nvjitlink). Its functions carry the
// library's version in their names: what its header calls nvJitLinkCreate is
// __nvJitLinkCreate_13_0 in version 13.0. nvJitLinkVersion has no such suffix.
//
//===----------------------------------------------------------------------===//

#include "Assemblers.h"

#include "quack/Support/FileIdentity.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

#include <dlfcn.h>

using namespace llvm;
using namespace quack;

namespace {
using Link = void *;

/// nvJitLinkInputType of nvJitLink.h.
constexpr int inputPTX = 2;

/// The functions that are called. They return 0 for success, an nvJitLinkResult.
struct EntryPoints {
  int (*create)(Link *, uint32_t, const char *const *) = nullptr;
  int (*destroy)(Link *) = nullptr;
  int (*addData)(Link, int type, const void *data, size_t size, const char *name) = nullptr;
  int (*complete)(Link) = nullptr;
  int (*getLinkedCubinSize)(Link, size_t *) = nullptr;
  int (*getLinkedCubin)(Link, void *) = nullptr;
  int (*getErrorLogSize)(Link, size_t *) = nullptr;
  int (*getErrorLog)(Link, char *) = nullptr;
};

class NvJitLink : public Assembler {
public:
  NvJitLink(EntryPoints api, std::string version, std::string file)
      : api(api), version(std::move(version)), file(std::move(file)) {}

  Expected<Cubin> assemble(StringRef ptx, StringRef chip) const override;
  std::string identity() const override { return fileIdentity(file); }

private:
  Error check(Link link, int result, StringRef call) const;

  EntryPoints api;
  std::string version; ///< as "13.0"
  std::string file;
};
} // namespace

/// Returns what the library says of a call that failed.
Error NvJitLink::check(Link link, int result, StringRef call) const {
  if (result == 0)
    return Error::success();
  size_t size = 0;
  std::string log;
  if (link && api.getErrorLogSize(link, &size) == 0 && size > 1) {
    log.resize(size);
    api.getErrorLog(link, log.data());
    log = ": " + StringRef(log.c_str()).trim().take_front(4000).str();
  }
  return createStringError(
      formatv("{0} of nvJitLink {1} failed with {2}{3}", call, version, result, log));
}

Expected<Cubin> NvJitLink::assemble(StringRef ptx, StringRef chip) const {
  // A chip that it does not know ends the process ("fatal : Unknown arch name").
  if (chip != "sm_90" && chip != "sm_90a")
    return createStringError("nvJitLink is used for sm_90 and sm_90a, got '" + chip + "'");
  std::string arch = ("-arch=" + chip).str();
  const char *options[] = {arch.c_str()};
  Link link = nullptr;
  if (Error error = check(nullptr, api.create(&link, 1, options), "nvJitLinkCreate"))
    return error;
  scope_exit destroy([&] { api.destroy(&link); });
  // As text it ends with a null byte, which counts.
  std::string text = ptx.str();
  if (Error error = check(
          link, api.addData(link, inputPTX, text.c_str(), text.size() + 1, "kernels.ptx"),
          "nvJitLinkAddData"))
    return error;
  if (Error error = check(link, api.complete(link), "nvJitLinkComplete"))
    return error;
  size_t size = 0;
  if (Error error =
          check(link, api.getLinkedCubinSize(link, &size), "nvJitLinkGetLinkedCubinSize"))
    return error;
  Cubin cubin;
  cubin.bytes.resize(size);
  cubin.madeBy = "nvJitLink " + version;
  if (Error error =
          check(link, api.getLinkedCubin(link, cubin.bytes.data()), "nvJitLinkGetLinkedCubin"))
    return error;
  return cubin;
}

Expected<std::unique_ptr<Assembler>> quack::loadNvJitLink(const std::string &name) {
  // Never closed: it may have threads.
  void *library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return createStringError(StringRef(::dlerror()));
  auto getVersion = reinterpret_cast<int (*)(unsigned *, unsigned *)>(
      ::dlsym(library, "nvJitLinkVersion"));
  unsigned major = 0, minor = 0;
  if (!getVersion || getVersion(&major, &minor))
    return createStringError("it has no version (nvJitLinkVersion)");
  EntryPoints api;
  std::string missing;
  auto find = [&](auto &function, const char *call) {
    std::string symbol = formatv("__nvJitLink{0}_{1}_{2}", call, major, minor);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        ::dlsym(library, symbol.c_str()));
    if (!function)
      missing = symbol;
  };
  find(api.create, "Create");
  find(api.destroy, "Destroy");
  find(api.addData, "AddData");
  find(api.complete, "Complete");
  find(api.getLinkedCubinSize, "GetLinkedCubinSize");
  find(api.getLinkedCubin, "GetLinkedCubin");
  find(api.getErrorLogSize, "GetErrorLogSize");
  find(api.getErrorLog, "GetErrorLog");
  if (!missing.empty())
    return createStringError("it has no " + missing);
  Dl_info info = {};
  ::dladdr(reinterpret_cast<void *>(getVersion), &info);
  return std::make_unique<NvJitLink>(api, formatv("{0}.{1}", major, minor),
                                     info.dli_fname ? info.dli_fname : name);
}
