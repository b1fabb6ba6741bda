#!/usr/bin/env bash
# Records KernelBlaster's level-1 problems and tries every technique of the built-in agent on them.
#   LEVEL1_DIR=…/data/kernelbench-cuda/level1 run_coverage.sh BUILD_DIRECTORY [builtin_coverage's --…]
# The folder is fetched by hand (https://github.com/kris-dong/KernelBlaster); without it the run is
# skipped (77). COVERAGE_DIR keeps sources and records for the next run (default: a scratch folder).
set -uo pipefail
if [ $# -lt 1 ]; then
  sed -n 2,6p "$0"
  exit 2
fi
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${COVERAGE_DIR:-}" ]; then
  COVERAGE_DIR=$(mktemp -d "${TMPDIR:-/tmp}/builtin_coverage.XXXXXX")
  trap 'rm -rf "$COVERAGE_DIR"' EXIT
fi
"$here/record_level1.sh" "$build" "$COVERAGE_DIR" || exit $?
"$build/bin/builtin_coverage" "$COVERAGE_DIR" "$@"
