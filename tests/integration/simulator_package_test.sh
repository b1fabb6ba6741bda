#!/usr/bin/env bash
# The simulator as a package: installed from warpmind's build into a folder of its own, used by a project that knows
# nothing of warpmind; and configured by itself.
#   simulator_package_test.sh SOURCE BUILD
set -euo pipefail
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

cmake --install "$build" --component warpsim --prefix "$work/prefix" > "$work/install.log" ||
  { cat "$work/install.log"; fail "cmake --install --component warpsim"; }
# Nothing of warpmind itself comes along, and nothing of this tree is named.
for name in bin lib/warpmind include/warpsim/base/codec; do
  [ ! -e "$work/prefix/$name" ] || fail "the package has $name"
done
if grep -rIlF -e "$source/" -e "$build/" "$work/prefix/lib/cmake" "$work/prefix/include"; then
  fail "the package names the folder that it was built in"
fi
# What its headers include of the project is there, too.
for header in $(grep -rhoP '^#include "\K[^"]+' "$work/prefix/include" | sort -u); do
  [ -e "$work/prefix/include/warpsim/$header" ] || fail "a header of the package includes $header, which it has not"
done

# Moved, as packages are; the consumer sees a copy of its own sources, not this tree.
mv "$work/prefix" "$work/elsewhere"
cp -r "$source/tests/integration/simulator_package" "$work/consumer"
cmake -S "$work/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/elsewhere" > "$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "the consumer cannot be configured"; }
cmake --build "$work/build" > "$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the consumer cannot be built"; }

# The sum of 2 i + 1 over i < 1000; 18 instructions each for 1000 threads, and 11 for the 24 that leave at the bound.
out=$("$work/build/run_ptx" "$work/consumer/axpy.ptx") || fail "run_ptx: $out"
[ "$out" = "thread instructions 18264
sum 1000000" ] || fail "run_ptx printed: $out"
# One element past the end is a finding of the simulator, not a crash.
if out=$("$work/build/run_ptx" "$work/consumer/axpy.ptx" 1001); then fail "1001 elements: $out"; fi
grep -q "past the end of an allocation of 4000" <<< "$out" || fail "1001 elements: $out"

# By itself: every source that the package names is there, and what it takes from base/ compiles without the rest.
cmake -S "$source/profilers/simulator" -B "$work/alone" > "$work/alone.log" 2>&1 ||
  { cat "$work/alone.log"; fail "profilers/simulator cannot be configured by itself"; }
cmake --build "$work/alone" --target warpsim_base > "$work/alone.log" 2>&1 ||
  { cat "$work/alone.log"; fail "warpsim_base does not compile by itself"; }
echo ok
