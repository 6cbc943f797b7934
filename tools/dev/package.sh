#!/usr/bin/env bash
# tools/dev/package.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes what users get: an archive, quack-<version>-linux-x86_64.tar.xz, of the tools, the C
# library with headers and a CMake package, the Python package, kernels and licences; and a
# wheel of the Python package and the library. LLVM is in each once, inside libquack_c.so.
# The same input makes the same bytes.
#
#   tools/dev/package.sh                  builds what it needs, and writes to build/package
#     --build=DIR     of this build directory, which has been configured
#     --no-build      what has been built
#     --output=DIR    writes there
#     --fast          compresses little, in seconds: for tests
#
# SOURCE_DATE_EPOCH is the time of the files in it; the default is that of the last commit.

set -euo pipefail
invoked_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() {
  echo "package.sh: $1" >&2
  exit 1
}

build=build
output=
has_build=1
compress=(xz -6 --threads=1)
level=9
for option in "$@"; do
  case "$option" in
    --build=*) build=$(cd "$invoked_from" && realpath "${option#*=}") ;;
    --output=*) output=$(cd "$invoked_from" && realpath "${option#*=}") ;;
    --no-build) has_build=0 ;;
    --fast)
      compress=(xz -0 --threads=2)
      level=1
      ;;
    *) die "unknown option '$option' (known: --build=, --output=, --no-build, --fast)" ;;
  esac
done

if ((has_build)); then
  if [[ $build == build ]]; then
    tools/dev/build.sh QuackPackage
  else
    cmake --build "$build" --target QuackPackage
  fi
fi
[[ -f $build/CMakeCache.txt ]] || die "$build is no build directory"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
output=${output:-$build/package}
mkdir -p "$output"

export SOURCE_DATE_EPOCH
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=quack-$version-linux-x86_64
root=$stage/$name
cmake --install "$build" --component package --strip --prefix "$root" >"$stage/install.log" ||
  die "cannot install: $(tail -n 3 "$stage/install.log")"
mkdir "$root/python"
cp -R lib/Bindings/Python/quack_mlir "$root/python"
find "$root/python" -name __pycache__ -prune -exec rm -r {} +

# Names in bytes' order, nobody's files, no times but one.
archive=$output/$name.tar.xz
LC_ALL=C tar -C "$stage" --create --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
  --owner=0 --group=0 --numeric-owner --mode='u+rwX,go+rX,go-w' "$name" |
  "${compress[@]}" >"$archive"
echo "$archive: $(stat -c %s "$archive") bytes; needs glibc" \
  "$(tools/dev/wheel.py --glibc="$root/lib/libquack_c.so") or later"

tools/dev/wheel.py --package="$root/python/quack_mlir" --version="$version" \
  --library="$root/lib/libquack_c.so" --licence="$root/share/quack/LICENSE" \
  --licence="$root/share/quack/ThirdPartyNotices.txt" --output="$output" --level="$level"
