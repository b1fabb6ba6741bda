#!/usr/bin/env bash
# Three kernels made faster, one after the other. With a GPU their times are measured, without one
# predicted. Kernels and a report go to ./warpmind-demo; what was learned stays in the knowledge
# base, so that `warpmind why last` works afterwards.
# demo.sh BIN_DIRECTORY
set -euo pipefail
bin=${1:?usage: demo.sh BIN_DIRECTORY}
[[ "$bin" == */* ]] || bin="./$bin"
warpmind="$bin/warpmind"
tasks=$(dirname "$0")
out=warpmind-demo
root_allowed=
# Root may do that in a container; elsewhere the daemon wants to be told.
if [ "$(id -u)" -eq 0 ] && ! "$warpmind" daemon start > /dev/null 2>&1; then
  export WARPMIND_DAEMON_ALLOW_ROOT=true
  root_allowed=1
fi
mkdir -p "$out"
rm -f "$out"/*.best.cu "$out"/*.txt "$out"/report.html

# optimise TASK CANDIDATES: live progress on a terminal, else in a file.
optimise() {
  local log="$out/$1.log" code=0
  if [ -t 2 ]; then
    "$warpmind" optimize "$tasks/$1" --evaluations "$2" --output "$out/$1.best.cu" > "$out/$1.txt" || code=$?
  else
    "$warpmind" optimize "$tasks/$1" --evaluations "$2" --output "$out/$1.best.cu" > "$out/$1.txt" 2> "$log" || code=$?
    [ "$code" -eq 0 ] || tail -1 "$log"
  fi
  # Headline, times and reasons; the rest is in the file.
  sed '/^  checked/,$d' "$out/$1.txt"
  echo
  [ "$code" -eq 0 ]
}

fail() {
  echo "demo: $1" >&2
  exit 1
}

start=$SECONDS
kernels="row_softmax_f16 layernorm_f16 column_sum"
echo "Three kernels, eight candidates: about two minutes on two cores."
echo
optimise row_softmax_f16 3 || fail "row_softmax_f16 could not be optimised"
optimise layernorm_f16 3 || fail "layernorm_f16 could not be optimised"
optimise column_sum 2 || fail "column_sum could not be optimised"

jobs=
for kernel in $kernels; do
  job=$(sed -n 's/^.* why \([0-9]*\).*$/\1/p' "$out/$kernel.txt" | head -1)
  jobs+="${jobs:+,}$job"
done
"$warpmind" report --jobs "$jobs" --html "$out/report.html"

echo "Done in $((SECONDS - start)) s."
for kernel in $kernels; do
  gain=$(sed -n '1s/^[^:]*: \([0-9.]*×\) faster.*/\1/p' "$out/$kernel.txt")
  times=$(sed -n 's/^  time *\([^,]*\).*/\1/p' "$out/$kernel.txt" | head -1)
  [ -n "$gain" ] || fail "$kernel did not get faster; $out/$kernel.txt says why"
  [ -s "$out/$kernel.best.cu" ] || fail "$out/$kernel.best.cu was not written"
  printf '  %-16s %s faster   %s\n' "$kernel" "$gain" "$times"
done
echo
for kernel in $kernels; do echo "  kernel   $out/$kernel.best.cu"; done
echo "  report   $out/report.html"
if [ -n "$root_allowed" ]; then
  echo "  next     export WARPMIND_DAEMON_ALLOW_ROOT=true"
  echo "           $warpmind why last"
else
  echo "  next     $warpmind why last"
fi
echo "           $warpmind optimize YOUR.cu --run './a.out'"
