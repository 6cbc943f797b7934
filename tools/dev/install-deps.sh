#!/usr/bin/env bash
# tools/dev/install-deps.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the build and the tests need on Debian 12, and only what is
# missing: on a machine that has everything it changes nothing and needs neither
# root nor the network.
#
#   tools/dev/install-deps.sh          install what is missing
#   tools/dev/install-deps.sh --list   print the package names

set -euo pipefail

packages=(
  g++ cmake ninja-build ccache mold         # compiler and build
  llvm-22-dev libmlir-22-dev mlir-22-tools  # LLVM and MLIR, with their tools
  zlib1g-dev libzstd-dev xz-utils           # what libquack_c.so has inside; archives
  libgtest-dev python3 python3-numpy        # tests
)

die() {
  printf 'install-deps: %s\n' "$@" >&2
  exit 1
}

# Prints the packages that are not installed, one a line.
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    # Not the exit status of `dpkg -s`: it is 0 for a removed package whose
    # configuration files remain.
    if ! dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$'; then
      echo "$package"
    fi
  done
}

# Runs apt-get as root, asking nothing.
apt() {
  local -a as_root=()
  [[ $EUID -eq 0 ]] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -y -q -o DPkg::Lock::Timeout=300 "$@"
}

case "${1-}" in
  '') ;;
  --list)
    printf '%s\n' "${packages[@]}"
    exit 0
    ;;
  *) die "unknown option '$1' (known: --list)" ;;
esac

if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
  die "this is not a Debian system; install the equivalents of these packages by hand:" \
    "  ${packages[*]}" \
    "LLVM and MLIR must be 22.1 (cmake -DMLIR_DIR=... says where they are)"
fi

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "install-deps: all ${#packages[@]} packages are installed"
  exit 0
fi

echo "install-deps: installing ${missing[*]}"
if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
  die "neither root nor sudo; run as root: apt-get install ${missing[*]}"
fi
apt update >/dev/null || die "apt-get update failed; is the network reachable?"

for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 && continue
  [[ $package == *-22-* ]] || die "no package source offers '$package'"
  die "no package source offers '$package'" \
    "LLVM 22 comes to Debian 12 with the bookworm-security suite; enable it, then run this again:" \
    "  echo 'deb http://security.debian.org/debian-security bookworm-security main' |" \
    "    sudo tee /etc/apt/sources.list.d/bookworm-security.list"
done

apt install --no-install-recommends "${missing[@]}" >/dev/null ||
  die "apt-get install failed; to see why: apt-get install ${missing[*]}"
echo "install-deps: done"
