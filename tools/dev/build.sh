#!/usr/bin/env bash
# tools/dev/build.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures build/ with the release preset, unless it is configured already, and
# builds the given targets, or everything. Used by demo.sh and test.sh.
#
#   tools/dev/build.sh [target ...]
#
# QUACK_JOBS limits the number of compilers that run at once (each may take
# 1.3 GB); the default is one per core, and fewer where memory is short.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Prints how many compilers this machine can run at once.
default_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1400000) }' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

# A build directory without build.ninja is one whose configuration failed.
if [[ ! -f build/build.ninja ]]; then
  cmake --preset release
fi
exec cmake --build build --parallel "${QUACK_JOBS:-$(default_jobs)}" \
  ${1+--target "$@"}
