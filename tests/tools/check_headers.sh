#!/usr/bin/env bash
# Every header compiles by itself: check_headers.sh BUILD_DIR, configured with
# CMAKE_VERIFY_INTERFACE_HEADER_SETS and built.
# A header whose own source includes it first was compiled by itself when that source was; the others
# are compiled here, by CMake's targets for header sets.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:?usage: check_headers.sh BUILD_DIR}")

objects=()
proven=0
late=0
while read -r object; do
  header=${object##*_verify_interface_header_sets/}
  header=${header%.cxx.o}
  source=${header%.h}.cpp
  if [ -f "$source" ]; then
    if [ "$(grep -m1 '^#include' "$source")" = "#include \"$header\"" ]; then
      proven=$((proven + 1))
      continue
    fi
    echo "$source: its first include must be \"$header\", so that the header is compiled by itself"
    late=$((late + 1))
  fi
  objects+=("$object")
done < <(ninja -C "$build" -t targets all |
  sed -nE 's/^(.*_verify_interface_header_sets\.dir\/.*\.h\.cxx\.o): .*/\1/p')

if [ "$((proven + ${#objects[@]}))" -eq 0 ]; then
  echo "no header set in $build: configure it with -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON" >&2
  exit 1
fi
if [ "${#objects[@]}" -gt 0 ]; then
  ninja -C "$build" "${objects[@]}"
fi
echo "headers hold: $proven by their own source, ${#objects[@]} compiled alone"
[ "$late" -eq 0 ]
