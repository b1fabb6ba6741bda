#!/usr/bin/env bash
# The ceiling of CONTRIBUTING.md: 800 lines a file.
set -euo pipefail
cd "$(dirname "$0")/../.."
find base syntax config daemon knowledge_base profilers agents clients tests \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
  xargs -0 wc -l |
  awk '$2 != "total" && $1 > 800 { print $2 " has " $1 " lines, the ceiling is 800"; bad = 1 }
       END { if (bad) exit 1; print "sizes hold" }'
