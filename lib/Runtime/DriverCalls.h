//===- lib/Runtime/DriverCalls.h - what loads and launches ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading an image and launching a kernel of it, by the driver's entry points:
// what a context of this project's and one of a caller's have in common.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RUNTIME_DRIVERCALLS_H
#define QUACK_LIB_RUNTIME_DRIVERCALLS_H

#include "CudaEntryPoints.h"

namespace quack::cuda {

/// Returns the error of `call`, which returned `result`; success for 0. The
/// text has the driver's name of it and its description.
llvm::Error makeError(const EntryPoints &api, int result, llvm::StringRef call);

/// Returns what may be done about a launch that the driver refused with `result`;
/// empty if that is not known.
std::string adviceForLaunch(int result);

/// Loads PTX or a cubin into the current context; `image` ends with a null
/// where it is text. An error carries the log of the driver's assembler.
llvm::Expected<void *> loadImage(const EntryPoints &api, const void *image);

/// Returns the kernel called `name` of a loaded module.
llvm::Expected<void *> findFunction(const EntryPoints &api, void *module,
                                    const std::string &name);

/// Allows `function` what `shape` needs beyond the defaults: more than 48 KB of
/// dynamic shared memory, clusters of more than 8 CTAs (CUDA Driver API,
/// CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
llvm::Error allowShape(const EntryPoints &api, void *function, const LaunchShape &shape);

/// A configuration with the attributes that it points to; not to be copied.
struct Configuration {
  Configuration(const LaunchShape &shape, void *stream);
  Configuration(const Configuration &) = delete;

  LaunchConfig config = {};
  LaunchAttribute cluster;
};

/// Launches `function`; `parameters` point to the values. Returns the driver's
/// result, of which `makeError` makes an error of "cuLaunchKernelEx".
inline int launchFunction(const EntryPoints &api, void *function,
                          const Configuration &configuration, void **parameters) {
  return api.launchKernelEx(&configuration.config, function, parameters, nullptr);
}

/// Returns how many of a launch's CTAs and clusters run at once.
llvm::Expected<Occupancy> queryOccupancy(const EntryPoints &api, void *function,
                                         const LaunchShape &shape);

} // namespace quack::cuda

#endif // QUACK_LIB_RUNTIME_DRIVERCALLS_H
