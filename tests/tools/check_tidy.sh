#!/usr/bin/env bash
# clang-tidy 14 over our own translation units: check_tidy.sh BUILD_DIR [FILE… | --since REVISION [--seconds S]].
# --since: only units with a source that changed since then; a header counts as its own source, or else
# as the first source that includes it. --seconds: no unit is begun later than that; how many were left out is
# said, and another revision begins with others. Exit 1 on any finding.
# Needs compile_commands.json in BUILD_DIR. Where that build shares translation units (preset tidy),
# whole units are checked, which reads each header once for a dozen sources: a sixth of the work.
set -euo pipefail
cd "$(dirname "$0")/../.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
# The analyzer follows so many states of a function (its default is 225000): two thirds of the time
# went into the last few functions that it never finishes.
budget=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang
  --extra-arg=max-nodes=40000)

# --unit UNITS FILE: one unit. A unit whose sources do not go together is checked source by source.
if [ "${1:-}" = --unit ]; then
  units=$2 file=$3
  if [ -f "$units/deadline" ] && [ "$(date +%s)" -ge "$(cat "$units/deadline")" ]; then
    echo "$file" >> "$units/left_out"
    exit 0
  fi
  log=$(mktemp -p "$units")
  if findings=$("$tidy" -p "$units" --config-file=.clang-tidy --quiet "${budget[@]}" "$file" 2> "$log"); then
    exit 0
  fi
  if [[ "$file" == *UnifiedSource-* && "$findings" == *"[clang-diagnostic-error]"* ]]; then
    echo "note: these sources do not compile as one unit and are checked one by one:" \
      "$(grep -oE '"[^"]+"' "$file" | tr '\n' ' ')"
    grep -oE '"[^"]+"' "$file" | tr -d '"' |
      xargs -d '\n' -n 1 "$tidy" -p "$units" --config-file=.clang-tidy --quiet "${budget[@]}"
    exit
  fi
  echo "$findings"
  [ -n "$findings" ] || cat "$log"
  exit 1
fi

build=$(realpath "${1:?usage: check_tidy.sh BUILD_DIR [FILE…]}")
shift
since=
if [ "${1:-}" = --since ]; then
  since=${2:?usage: check_tidy.sh BUILD_DIR --since REVISION}
  shift 2
fi
seconds=
if [ "${1:-}" = --seconds ]; then
  seconds=${2:?usage: check_tidy.sh BUILD_DIR --since REVISION --seconds S}
  shift 2
fi
if [ "$#" -gt 0 ]; then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet "${budget[@]}" &&
    echo "tidy holds: $# files"
  exit
fi

# What is checked: the product's sources, and its units under the one name for which clang's analyzer
# takes the sources that a unit includes for code rather than for headers.
units=$build/tidy_units
rm -rf "$units"
mkdir -p "$units"
awk -v tree="$PWD/" -v build="$build/" -v units="$units/" '
  BEGIN { parts = "^(base|syntax|config|daemon|knowledge_base|profilers|agents|clients)/"; print "[" }
  function entry(command, file) {
    printf "%s{\"directory\": \"%s\", %s\", \"file\": \"%s\"}", comma, build, command, file
    comma = ",\n"
  }
  /^ *"command": / { command = $0; sub(/^ */, "", command); sub(/ -o .*/, "", command)
    gsub(/-Wno-subobject-linkage/, "", command) }  # unknown to clang
  /^ *"file": / {
    split($0, text, "\"")
    file = text[4]
    if (index(file, build) == 1 && file ~ /\/Unity\/unity_[^\/]*$/) {
      if (substr(file, length(build) + 1) !~ parts) next
      unit = units "UnifiedSource-" ++count ".cpp"
      while ((getline line < file) > 0) {
        if (line !~ /^#include /) continue
        print line "  // NOLINT(bugprone-suspicious-include)" > unit
        split(line, text, "\"")
        entry(command " -c " text[2], text[2])
      }
      close(unit)
      entry(command " -c " unit, unit)
      print unit > (units "list")
    } else if (index(file, tree) == 1 && substr(file, length(tree) + 1) ~ parts) {
      entry(command " -c " file, file)
      print file > (units "list")
    }
  }
  END { print "\n]" }' "$build/compile_commands.json" > "$units/compile_commands.json"

# A fault that only the path-sensitive analysis of an included source can see must be found.
printf 'int planted(int n) {\n  int* p = nullptr;\n  if (n > 3) p = &n;\n  return *p;\n}\n' \
  > "$units/planted.cpp"
printf '#include "planted.cpp"\n' > "$units/UnifiedSource-0.cpp"
seen=$("$tidy" --config-file=.clang-tidy --header-filter=planted --quiet "${budget[@]}" \
  "$units/UnifiedSource-0.cpp" -- -std=c++20 2> /dev/null || true)
if ! grep -q 'planted.cpp:4.*clang-analyzer-core.NullDereference' <<< "$seen"; then
  echo "a planted null dereference was not found: clang-tidy does not see into units" >&2
  exit 1
fi

# changed_sources REVISION: paths of sources, one a line.
changed_sources() {
  git diff --name-only --diff-filter=d "$1" -- '*.cpp' '*.h' | while read -r file; do
    case "$file" in
      tests/*) ;;
      *.cpp) echo "$file" ;;
      *) if [ -f "${file%.h}.cpp" ]; then
           echo "${file%.h}.cpp"
         else
           { git grep -lF "#include \"$file\"" -- '*.cpp' ':!tests' || true; } | sed -n 1p
         fi ;;
    esac
  done | sort -u
}

if [ -n "$since" ]; then
  changed_sources "$since" | sed "s|^|$PWD/|" > "$units/changed"
  while read -r file; do
    if [ -s "$units/changed" ] && { grep -qxF "$file" "$units/changed" ||
         { [[ "$file" == *UnifiedSource-* ]] && grep -oE '"[^"]+"' "$file" | tr -d '"' | grep -qxFf "$units/changed"; }; }; then
      echo "$file"
    fi
  done < "$units/list" > "$units/chosen"
  mv "$units/chosen" "$units/list"
  if [ ! -s "$units/list" ]; then
    echo "tidy holds: no source changed since $since"
    exit
  fi
  echo "$(wc -l < "$units/changed") sources changed since $since"
fi

sources=$(grep -c '"file": "[^"]*[^0-9]\.cpp"' "$units/compile_commands.json")
[ -z "$seconds" ] || echo "$(($(date +%s) + seconds))" > "$units/deadline"
# In an order that each revision draws anew: what has no time left is another part the next time.
sort -u "$units/list" | shuf --random-source=<(yes "$(git rev-parse HEAD)") | tr '\n' '\0' |
  xargs -0 -n 1 -P "$(nproc)" "$0" --unit "$units"
chosen=$(sort -u "$units/list" | wc -l)
if [ -s "$units/left_out" ]; then
  echo "tidy holds: $((chosen - $(wc -l < "$units/left_out"))) of $chosen units in $seconds s; \`make tidy\` checks every file"
else
  echo "tidy holds: $sources files in $chosen units"
fi
