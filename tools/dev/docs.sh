#!/usr/bin/env bash
# tools/dev/docs.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the generated references: dialects/*/Reference.md,
# dialects/Quack/Interfaces.md and dialects/Passes/Passes.md.
#
#   tools/dev/docs.sh           rewrites them
#   tools/dev/docs.sh --check   prints what is stale and fails if anything is

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

llvm=/usr/lib/llvm-22
tblgen=$(command -v mlir-tblgen || echo "$llvm/bin/mlir-tblgen")
# The headers beside the tool.
include=$(dirname "$(dirname "$(readlink -f "$tblgen")")")/include
[[ -d $include/mlir ]] || include=$llvm/include

# generate <file.td> <options>...
generate() {
  "$tblgen" -I "$include" -I dialects "dialects/$1" "${@:2}" |
    # No space at line ends, one newline at the end.
    sed -e 's/[[:space:]]*$//' -e '$a\' | cat -s
}

stale=0
# emit <output.md> <file.td> <options>...
emit() {
  local text
  text=$(generate "${@:2}")
  case ${mode} in
    --write) printf '%s\n' "$text" >"$1" ;;
    --check) diff -u --label "$1 (checked in)" --label "$1 (generated)" \
      "$1" <(printf '%s\n' "$text") || stale=1 ;;
  esac
}

case ${1---write} in
  --write | --check) mode=${1---write} ;;
  *)
    echo "docs.sh: unknown option '$1' (known: --check)" >&2
    exit 2
    ;;
esac

emit dialects/Quack/Reference.md Quack/QuackOps.td -gen-dialect-doc -dialect=quack
emit dialects/Quack/Interfaces.md Quack/QuackInterfaces.td -gen-op-interface-docs
emit dialects/QuackTV/Reference.md QuackTV/QuackTVOps.td -gen-dialect-doc -dialect=quack_tv
emit dialects/Passes/Passes.md Passes/Passes.td -gen-pass-doc
if ((stale)); then
  echo "docs.sh: stale references: run tools/dev/docs.sh" >&2
  exit 1
fi
