#!/usr/bin/env bash
# tools/test.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything and runs all tests. The last lines
# are ctest's summary; the exit status is ctest's.
#
#   tools/test.sh           all tests; those that need a GPU skip without one
#   tools/test.sh --quick   the tests labelled quick

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ctest_options=()
for option in "$@"; do
  case "$option" in
    --quick) ctest_options+=(-L '^quick$') ;;
    *)
      echo "test.sh: unknown option '$option' (known: --quick)" >&2
      exit 2
      ;;
  esac
done

tools/dev/install-deps.sh
tools/dev/build.sh
# A run that finds no test is a failure, not a success.
exec ctest --test-dir build --output-on-failure --no-tests=error \
  "${ctest_options[@]}"
