#!/usr/bin/env bash
# clang-tidy 14 over our own translation units: check_tidy.sh BUILD_DIR [FILE…].
# Needs compile_commands.json in BUILD_DIR. Exit 1 on any finding.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: check_tidy.sh BUILD_DIR [FILE…]}
shift
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
if [ "$#" -eq 0 ]; then
  mapfile -t files < <(grep -oE '"file": "[^"]+"' "$build/compile_commands.json" | cut -d'"' -f4 |
    grep -E "^$PWD/(base|config|daemon|knowledge_base|profilers|agents|clients)/" | sort -u)
else
  files=("$@")
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 2 -P "$(nproc)" "$tidy" -p "$build" --quiet && echo "tidy holds: ${#files[@]} files"
