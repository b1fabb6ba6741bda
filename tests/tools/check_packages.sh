#!/usr/bin/env bash
# The lists of cmake/packages: sorted, each name once, and what cmake/install_packages.sh makes of them per system.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# listed ID VERSION_ID [check]: the names that would be installed there.
listed() {
  printf 'ID=%s\nVERSION_ID="%s"\n' "$1" "$2" > "$scratch/os-release"
  WARPMIND_OS_RELEASE="$scratch/os-release" WARPMIND_PACKAGES_LIST_ONLY=1 cmake/install_packages.sh "${3:-build}"
}

for system in "debian 12" "ubuntu 24.04" "fedora 42"; do
  read -r id version <<< "$system"
  listed "$id" "$version" > "$scratch/build"
  listed "$id" "$version" check > "$scratch/check"
  sort -cu "$scratch/build"
  sort "$scratch/check" | uniq -d | grep . && { echo "twice in the list of $system"; exit 1; }
  [ "$(wc -l < "$scratch/build")" -gt 15 ] && grep -qi boost "$scratch/build"
  [ "$(wc -l < "$scratch/check")" -gt "$(wc -l < "$scratch/build")" ] && grep -q 'clang' "$scratch/check"
  grep -q 'clang\|gtest' "$scratch/build" && { echo "$system: make demo would install what only make check needs"; exit 1; }
done

# refused ID VERSION_ID WORDS: exit code 4 and one line.
refused() {
  local code=0
  listed "$1" "$2" > "$scratch/out" 2>&1 || code=$?
  [ "$code" -eq 4 ] && [ "$(wc -l < "$scratch/out")" -eq 1 ] && grep -qF "$3" "$scratch/out" ||
    { echo "$1 $2: exit code $code"; cat "$scratch/out"; exit 1; }
}
refused ubuntu 22.04 "build in a container of Debian 12 or Ubuntu 24.04"
refused plan9 4 "cmake/packages/debian-12.txt"
echo "package lists hold"
