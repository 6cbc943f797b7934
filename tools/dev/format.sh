#!/usr/bin/env bash
# tools/dev/format.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Formats the tracked C++ files with clang-format.
#
#   tools/dev/format.sh           rewrite the files
#   tools/dev/format.sh --check   change nothing; fail if a file would change
#
# CLANG_FORMAT names another binary than clang-format.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mode=(-i)
case "${1-}" in
  '') ;;
  --check) mode=(--dry-run --Werror) ;;
  *)
    echo "format.sh: unknown option '$1' (known: --check)" >&2
    exit 2
    ;;
esac

formatter=${CLANG_FORMAT:-clang-format}
if ! command -v "$formatter" >/dev/null; then
  echo "format.sh: '$formatter' not found; apt-get install clang-format" >&2
  exit 1
fi
git ls-files -z -- '*.cpp' '*.h' |
  xargs -0 --no-run-if-empty "$formatter" --style=file "${mode[@]}"
