#!/usr/bin/env bash
# Records what KernelBlaster's level-1 problems launch, on the simulated CUDA runtime.
#   LEVEL1_DIR=…/data/kernelbench-cuda/level1 record_level1.sh BUILD_DIRECTORY OUTPUT [PROBLEM …]
# BUILD_DIRECTORY holds bin/level1_driver and lib/simulator. Writes OUTPUT/PROBLEM.cu, the problem's
# source, and OUTPUT/PROBLEM.record; what is there already is left. A problem that does not build or
# makes no call leaves only its source. LEVEL1_JOBS problems at a time (2), each for at most
# LEVEL1_SECONDS (20) of CPU time: launches are on record even when they do not end by then.
set -uo pipefail
if [ $# -lt 2 ]; then
  sed -n 2,8p "$0"
  exit 2
fi
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && output=$(cd "$2" && pwd) || exit 2
shift 2
if [ -z "${LEVEL1_DIR:-}" ] || [ ! -d "$LEVEL1_DIR" ]; then
  echo "skipped: LEVEL1_DIR does not name KernelBlaster's data/kernelbench-cuda/level1"
  exit 77
fi
command -v nvcc >/dev/null || { echo "skipped: nvcc is not on PATH"; exit 77; }

# Beside the bench of the drop-in runtime, whose drivers these are.
level1=$(cd "$(dirname "$0")/../level1" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/record_level1.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export build output level1 scratch LEVEL1_DIR seconds=${LEVEL1_SECONDS:-20}

record_problem() {
  local name=$1 work="$scratch/$1"
  cp "$LEVEL1_DIR/$name/init.cu" "$output/$name.cu"
  [ -s "$output/$name.record" ] && return
  mkdir -p "$work" && cd "$work" || return
  "$build/bin/level1_driver" "$LEVEL1_DIR/$name" >driver.cu 2>errors &&
    nvcc -std=c++17 -O3 -w -cudart shared -gencode arch=compute_90,code=compute_90 -I "$level1" \
      driver.cu -o driver 2>errors || { echo "$name: $(head -c 200 errors)"; return; }
  (ulimit -t "$seconds"; LD_LIBRARY_PATH="$build/lib/simulator" CUDASIM_CHECKS=none \
    CUDASIM_TRACE="$work/record" timeout $((seconds * 6)) ./driver >said 2>errors)
  if [ -s record ]; then mv record "$output/$name.record"; else
    echo "$name: no record: $(head -c 200 errors)"
  fi
  rm -rf "$work"
}
export -f record_problem

if [ $# -eq 0 ]; then
  mapfile -t problems < <(cd "$LEVEL1_DIR" && ls -d [0-9]*)
else
  problems=("$@")
fi
printf '%s\n' "${problems[@]}" |
  xargs -d '\n' -P "${LEVEL1_JOBS:-2}" -I '{}' bash -c 'record_problem "{}"'
