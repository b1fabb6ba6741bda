#!/usr/bin/env bash
# Runs KernelBlaster's level-1 problems on the simulated CUDA runtime, without libtorch.
#   LEVEL1_DIR=…/data/kernelbench-cuda/level1 run_level1.sh BUILD_DIRECTORY [PROBLEM …]
# BUILD_DIRECTORY holds bin/level1_driver, bin/level1_decode and lib/simulator. The folder is
# fetched by hand (https://github.com/kris-dong/KernelBlaster); without it the run is skipped (77).
#
# A problem passes when its PTX decodes and its launcher runs to the end without a fault. One line a
# problem, then what failed and the totals; ends with 1 when fewer than 90 of 94 ran or one does not
# decode. LEVEL1_JOBS problems at a time (2), each for at most LEVEL1_SECONDS (20) of CPU time.
set -uo pipefail
if [ $# -lt 1 ]; then
  sed -n 2,10p "$0"
  exit 2
fi
build=$(cd "$1" && pwd) || exit 2
shift
if [ -z "${LEVEL1_DIR:-}" ] || [ ! -d "$LEVEL1_DIR" ]; then
  echo "skipped: LEVEL1_DIR does not name KernelBlaster's data/kernelbench-cuda/level1"
  exit 77
fi
if [ ! -e "$build/lib/simulator/libcudart.so.13" ]; then
  echo "skipped: $build/lib/simulator has no libcudart.so.13; build warpmind_simulated_cudart"
  exit 77
fi
command -v nvcc >/dev/null || { echo "skipped: nvcc is not on PATH"; exit 77; }

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/level1.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export build here scratch LEVEL1_DIR seconds=${LEVEL1_SECONDS:-20}

# Prints "NAME | DECODED | OUTCOME | LAUNCHES | FINDINGS | SECONDS | DETAIL".
run_problem() {
  local name=$1 work="$scratch/$1" started detail outcome=not_run decoded=no launches=0 findings=
  mkdir -p "$work"
  started=$(date +%s.%N)
  if ! detail=$("$build/bin/level1_driver" "$LEVEL1_DIR/$name" 2>&1 >"$work/driver.cu"); then
    outcome=no_driver
  # PTX alone: the simulated runtime runs nothing else, and ptxas takes most of nvcc's time.
  elif ! detail=$(cd "$work" && nvcc -std=c++17 -O3 -lineinfo -w -cudart shared --keep \
    -gencode arch=compute_90,code=compute_90 -I "$here" driver.cu -o driver 2>&1); then
    outcome=not_compiled
  else
    if detail=$("$build/bin/level1_decode" "$work/driver.ptx" 2>&1); then decoded=yes; fi
    local said
    said=$(cd "$work" && ulimit -t "$seconds" && LD_LIBRARY_PATH="$build/lib/simulator" \
      CUDASIM_REPORT="$work/report" timeout $((seconds * 6)) ./driver 2>"$work/errors")
    local code=$?
    # 124 by timeout, 137 and 152 by the limit on CPU time.
    if [ $code -eq 124 ] || [ $code -eq 137 ] || [ $code -eq 152 ]; then
      outcome=timed_out
    elif [ $code -eq 0 ]; then
      outcome=ran
      case "$said" in
        *"nonzero=0 "*) outcome=ran_all_zero ;;
        *) [[ "$said" =~ nonzero=([0-9]+)\ nan=([0-9]+) ]] &&
          [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] && outcome=ran_all_nan ;;
      esac
    else
      outcome=failed_$code
    fi
    [ "$decoded" = yes ] && detail=
    detail="$detail $said $(head -c 300 "$work/errors")"
    if [ -f "$work/report" ]; then
      launches=$(wc -l <"$work/report")
      # "2 global race, 5 same-value stores": by instruction; the last is a note, no fault.
      findings=$(grep -o '"kind":"[^"]*"' "$work/report" | cut -d'"' -f4 | sort | uniq -c |
        awk '{ $1 = $1; print }' | paste -sd, | sed 's/,/, /g')
    fi
  fi
  printf '%s | %s | %s | %s | %s | %.1f | %s\n' "$name" "$decoded" "$outcome" "$launches" \
    "${findings:-none}" "$(echo "$(date +%s.%N) - $started" | awk '{print $1 - $3}')" \
    "$(echo "$detail" | tr '\n|' '  ' | cut -c1-300)"
  rm -rf "$work"
}
export -f run_problem

if [ $# -eq 0 ]; then
  mapfile -t problems < <(cd "$LEVEL1_DIR" && ls -d [0-9]*)
else
  problems=("$@")
fi
printf '%s\n' "${problems[@]}" |
  xargs -d '\n' -P "${LEVEL1_JOBS:-2}" -I '{}' bash -c 'run_problem "{}"' | tee "$scratch/table"

echo
awk -F' [|] ' -v asked=${#problems[@]} '
  { decoded += $2 == "yes"; ran += $3 ~ /^ran/; launches += $4; seconds += $6
    kinds = $5; gsub(/[0-9]+ same-value stores(, )?|none/, "", kinds); found += kinds != "" }
  $3 == "ran_all_zero" || $3 == "ran_all_nan" { empty++ }
  $2 != "yes" || $3 !~ /^ran/ { print "NOT PASSED " $1 ": " $3 ": " $7 }
  END {
    printf "RESULT problems=%d decoded=%d ran=%d launches=%d with_findings=%d output_zero_or_nan=%d problem_s=%.0f\n",
      asked, decoded, ran, launches, found, empty, seconds
    exit !(decoded == asked && ran >= asked - 4)
  }' "$scratch/table"
