#!/usr/bin/env bash
# clang-format 14 is the judge of layout. Prints the files that differ; exit 1 if there is one.
set -euo pipefail
cd "$(dirname "$0")/../.."
formatter=$(command -v clang-format-14 || command -v clang-format)
find base syntax config daemon knowledge_base profilers agents clients tests \
  \( -name '*.h' -o -name '*.cpp' \) -print0 |
  xargs -0 "$formatter" --dry-run --Werror && echo "format holds"
