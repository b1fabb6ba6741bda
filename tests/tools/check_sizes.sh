#!/usr/bin/env bash
# Ceilings of CONTRIBUTING.md: 500 lines a source file, 800 a test.
set -euo pipefail
cd "$(dirname "$0")/../.."
find base config daemon knowledge_base profilers agents clients tests \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
  xargs -0 wc -l |
  awk '$2 != "total" { limit = ($2 ~ /^tests\//) ? 800 : 500
                       if ($1 > limit) { print $2 " has " $1 " lines, the ceiling is " limit; bad = 1 } }
       END { if (bad) exit 1; print "sizes hold" }'
