#!/usr/bin/env bash
# A machine that lacks something: `optimize` says in one sentence what, and how to fix it, with exit code 4, and
# `doctor` says the same.
# machine_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" CUDA_VISIBLE_DEVICES=
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true

# made_toolkit FOLDER CUDART_VERSION: what is looked at of one.
made_toolkit() {
  mkdir -p "$1"/{bin,nvvm/bin,lib64,include/crt,include/nv}
  for program in bin/nvcc bin/ptxas nvvm/bin/cicc; do
    printf '#!/bin/sh\necho "Cuda compilation tools, release %d.%d, V"\n' $(($2 / 1000)) $(($2 % 1000 / 10)) > "$1/$program"
    chmod +x "$1/$program"
  done
  echo "#define CUDART_VERSION $2" > "$1/include/cuda_runtime_api.h"
  touch "$1"/include/{cuda_runtime.h,nv/target,crt/host_config.h} "$1/lib64/libcudart.so" "$1/lib64/libcudart.so.$(($2 / 1000))"
}

# lacks NAME SENTENCE SETTING…: both commands say SENTENCE, and optimize ends with 4.
lacks() {
  local name=$1 sentence=$2 code=0
  shift 2
  local settings=()
  for setting in "$@"; do settings+=(--set "$setting"); done
  "$bin/warpmind" daemon stop > /dev/null 2>&1 || true
  "$bin/warpmind" "${settings[@]}" optimize "$root/tasks/vector_add" --provider sim > "$scratch/out" 2> "$scratch/err" || code=$?
  cat "$scratch/out" "$scratch/err" | grep -v "^j-" > "$scratch/all"  # but for the progress
  [ "$code" -eq 4 ] || { echo "$name: exit code $code, want 4"; cat "$scratch/all"; exit 1; }
  [ "$(wc -l < "$scratch/all")" -eq 1 ] && grep -qF -- "$sentence" "$scratch/all" || { echo "$name: not one line with: $sentence"; cat "$scratch/all"; exit 1; }
  code=0
  "$bin/warpmind" "${settings[@]}" doctor > "$scratch/doctor" || code=$?
  [ "$code" -eq 4 ] || { echo "$name: doctor's exit code is $code, want 4"; cat "$scratch/doctor"; exit 1; }
  # The same words, in lines of 80 columns: what is wrong, and behind an arrow how to fix it.
  tr -s ' \n' '  ' < "$scratch/doctor" | sed 's/ (needed) -> /: /g' > "$scratch/words"
  grep -qF -- "$sentence" "$scratch/words" || { echo "$name: doctor does not say: $sentence"; cat "$scratch/doctor"; exit 1; }
}

made_toolkit "$scratch/cuda-11.8" 11080
lacks "toolkit 11" "the CUDA toolkit at $scratch/cuda-11.8 is 11.8, and warpmind needs 12.4 to 13.x: install one of those" \
  "toolchain.nvcc=$scratch/cuda-11.8/bin/nvcc"

packages=$scratch/venv/lib/python3.12/site-packages/nvidia/cu13
made_toolkit "$packages" 13000
rm "$packages/nvvm/bin/cicc"
lacks "half-installed pip toolkit" "has no nvvm/bin/cicc: pip install nvidia-nvvm" "toolchain.nvcc=$packages/bin/nvcc"

made_toolkit "$scratch/mixed" 13000
sed -i 's/release 13/release 12/' "$scratch/mixed/bin/nvcc"
lacks "two toolkits in one" "are of CUDA 13.0: install both from one release" "toolchain.nvcc=$scratch/mixed/bin/nvcc"

lacks "no toolkit" "nvcc is not at $scratch/nvcc: install the CUDA toolkit 12.4 to 13.x" "toolchain.nvcc=$scratch/nvcc"
lacks "no compiler" "the host compiler is not at $scratch/g++: install it" "toolchain.host_compiler=$scratch/g++"
lacks "no bubblewrap" "bubblewrap is not at $scratch/bwrap: install it" "lab.bubblewrap=$scratch/bwrap"

printf '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n' > "$scratch/bwrap"
chmod +x "$scratch/bwrap"
lacks "no user namespaces" "the sandbox does not start (bwrap: No permissions to create new namespace): allow unprivileged user" \
  "lab.bubblewrap=$scratch/bwrap"

# A daemon that could not keep its base does not start.
lacks "no disk space" "disk nearly full: " "knowledge.reserve_mib=1048576"
grep -q "free some space, or set daemon.state_directory to another disk" "$scratch/all"
grep -q "free some space, or set daemon.state_directory to another disk" "$scratch/words"

echo "what is missing is said once, with its cure"
