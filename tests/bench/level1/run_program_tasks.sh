#!/usr/bin/env bash
# KernelBlaster's level-1 problems as program tasks on a GPU: imported, controlled, judged strictly.
#   run_program_tasks.sh LEVEL1_DIR BUILD_DIR WORK_DIR [NAME…]
# LEVEL1_DIR: …/data/kernelbench-cuda/level1, fetched by hand. BUILD_DIR: has bin/warpmind,
# bin/warpmindd, lib/libwarpmind_inject.so and lib/libwarpmind_record.so. WORK_DIR keeps everything: a
# second call goes on where the first ended. NAMEs: only these problems.
# Needs nvcc, g++, a python3 with PyTorch for CUDA (or LEVEL1_TORCH: a libtorch), bubblewrap.
# LEVEL1_SECONDS: time of this call, s (570). LEVEL1_JOBS: builds at a time (all cores).
# Exit code 0: all done; 75: call again; else what failed. The tables are WORK_DIR/level1.md,
# import.json, import.md and strict.json; the last line is RESULT level1 ….
set -uo pipefail
if [ $# -lt 3 ]; then
  sed -n 2,13p "$0"
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
level1=$(cd "$1" && pwd) || exit 2
build=$(cd "$2" && pwd) || exit 2
mkdir -p "$3" && work=$(cd "$3" && pwd) || exit 2
shift 3
ends=$((SECONDS + ${LEVEL1_SECONDS:-570}))
jobs=${LEVEL1_JOBS:-$(nproc)}
left() { echo $((ends - SECONDS > 1 ? ends - SECONDS : 1)); }
for program in nvcc g++ python3; do
  command -v "$program" >/dev/null || { echo "$program is not on PATH"; exit 2; }
done
CUDA_HOME=${CUDA_HOME:-$(realpath "$(nvcc --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n "s/^#\$ TOP=//p")")}
export CUDA_HOME
torch=()
[ -n "${LEVEL1_TORCH:-}" ] && torch=(--torch "$LEVEL1_TORCH")
only=()
for name in "$@"; do only+=(--only "$name"); done
pattern=$([ $# -gt 0 ] && (IFS='|'; echo "^($*)\$"))

# Libraries that were brought along serve our programs; a C++ runtime among them may be older than
# the one that this machine's compiler links to.
# Folders of the system (the driver's) stay as they are.
mkdir -p "$work/lib"
system=
IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
for folder in "${folders[@]}"; do
  case $folder in
    /usr/*) system=$system:$folder ;;
    /*) find "$folder" -maxdepth 1 -name '*.so*' ! -name 'libstdc++*' ! -name 'libgcc_s*' \
      -exec cp -Ln {} "$work/lib/" \; ;;
  esac
done
export LD_LIBRARY_PATH=${system#:}
libraries=$work/lib$system

step() { echo "== $1 ($SECONDS s)"; }
step 'compiled header'
python3 "$here/strict_drivers.py" --header-only "${torch[@]}" "$work" || exit

step 'import and controls'
mkdir -p "$work/state" "$work/run" "$work/cache" "$work/tasks"
chmod 700 "$work/state" "$work/run"
[ "$(id -u)" = 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
export WARPMIND_DAEMON_STATE_DIRECTORY=$work/state WARPMIND_DAEMON_SOCKET=$work/run/socket
export XDG_CACHE_HOME=$work/cache WARPMIND_KNOWLEDGE_RESERVE_MIB=${WARPMIND_KNOWLEDGE_RESERVE_MIB:-192}
LD_LIBRARY_PATH=$libraries "$build/bin/warpmindd" >>"$work/daemon.log" 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null; wait "$daemon" 2>/dev/null' EXIT
for _ in $(seq 100); do
  [ -S "$work/run/socket" ] && break
  kill -0 "$daemon" 2>/dev/null || { tail -5 "$work/daemon.log"; echo 'the daemon did not start'; exit 1; }
  sleep 0.1
done
timeout --foreground -s INT "$(left)" env LD_LIBRARY_PATH="$libraries" \
  "$build/bin/warpmind" task import kernelblaster "$level1" --into "$work/tasks" --no-start \
  --provider "${LEVEL1_PROVIDER:-gpu}" --precompiled "$work/header" --jobs "$jobs" --build-seconds 300 --run-seconds 60 \
  --report "$work/import.json" "${torch[@]}" "${only[@]}" >"$work/import.txt" 2>"$work/import.log"
code=$?
tail -1 "$work/import.txt"
# 1: some were refused, which is a result.
if [ $code -gt 1 ]; then
  tail -3 "$work/import.log"
  [ $code -eq 124 ] && { echo 'time is up: call again'; exit 75; }
  [ ! -f "$work/import.json" ] && exit $code
fi
kill "$daemon" 2>/dev/null
wait "$daemon" 2>/dev/null

step 'stricter rule'
python3 "$here/strict_drivers.py" "$level1" "$work/strict" "${torch[@]}" --header "$work/header" --jobs "$jobs" \
  --seconds "$(($(left) - 40))" ${pattern:+--only "$pattern"} | tee "$work/strict.log"
strict=${PIPESTATUS[0]}

step 'table'
python3 "$here/level1_table.py" "$work/import.json" "$work/strict/strict.json" "$work/level1.md" || exit
[ "$strict" -eq 75 ] && { echo 'time is up: call again'; exit 75; }
[ $code -le 1 ] || exit 75
exit "$strict"
