#!/usr/bin/env bash
# Program tasks through client and daemon, on the simulator's runtime: a suite imported with libtorch
# in pip's layout (its headers and libraries stand empty: no tensor is computed), several at a time,
# gone on with from a report; a program task optimised.
# program_task_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="$PATH:/usr/local/cuda/bin"
command -v nvcc > /dev/null || { echo "skipped: no nvcc"; exit 77; }
command -v bwrap > /dev/null || { echo "skipped: no bubblewrap"; exit 77; }
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" CUDA_VISIBLE_DEVICES=
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
cd "$scratch"

expect() {  # expect FILE TEXT, which may be wrapped there
  tr -s '[:space:]' ' ' < "$1" | grep -F -- "$2" > /dev/null || { echo "missing: $2"; cat "$1"; exit 1; }
}
ends_with() {  # ends_with CODE COMMAND…: its outputs are in the files out and err
  local want=$1 code=0
  shift
  "$@" > out 2> err || code=$?
  [ "$code" -eq "$want" ] || { echo "exit code $code, want $want: $*"; cat out err; exit 1; }
}

packages=venv/lib/python3.12/site-packages
mkdir -p venv/bin $packages/torch/lib $packages/torch/include/torch/csrc/api/include/torch $packages/nvidia/cu13/lib
ln -s /bin/true venv/bin/python3
echo '#pragma once' > $packages/torch/include/torch/csrc/api/include/torch/torch.h
for library in torch torch_cpu torch_cuda c10 c10_cuda; do
  echo "int stands_for_$library;" | gcc -shared -fPIC -x c - -o $packages/torch/lib/lib$library.so
done
problem() {  # problem NAME CHECK FACTOR
  mkdir -p "level/$1"
  cat > "level/$1/init.cu" <<CUDA
__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * $3;
}
void launch_gpu_implementation(void* output, void* input, int n) {
  twice<<<(n + 255) / 256, 256>>>((const float*)input, (float*)output, n);
}
CUDA
  cat > "level/$1/driver.cpp" <<CPP
#include <torch/torch.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include "cuda_model.cuh"
void launch_gpu_implementation(void* output, void* input, int n);
int main() {
  const int n = 1000;
  std::vector<float> in(n), out(n, -1);
  for (int i = 0; i < n; ++i) in[i] = i * 0.5f;
  void *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * 4);
  launch_gpu_implementation(b, a, n);
  cudaMemcpy(out.data(), b, n * 4, cudaMemcpyDeviceToHost);
  bool ok = true;
  for (int i = 0; i < n; ++i) ok = ok && ($2);
  std::puts(ok ? "passed" : "failed");
}
CPP
}
problem 1_right 'out[i] == in[i] * 2' 2
problem 2_takes_anything 'out[i] > -1' 2
problem 3_wrong 'out[i] == in[i] * 2' 3
problem 4_broken 'out[i] == in[i] * 2' 'nothing'

import=("$bin/warpmind" task import kernelblaster level --into tasks --provider sim --report report.json)
# Without a Python with torch: one sentence; with one on PATH, it is found.
PATH="/usr/bin:/bin" ends_with 1 "${import[@]}" --only 1_right --no-check --libtorch level
expect out "level is no libtorch"
mkdir compiled
ends_with 1 "${import[@]}" --only 1_right --no-check --libtorch venv --precompiled compiled
expect out "precompiled_torch.h.gch; make it: echo '#include <torch/torch.h>' >"
PATH="$scratch/venv/bin:$PATH" ends_with 1 "${import[@]}" --only 2_takes_anything
expect out "2_takes_anything: it passes even when its kernels do nothing"
ends_with 1 "${import[@]}" --libtorch $packages --jobs 2
expect out "4 programs, 1 admitted, 1 refused by build, 1 refused by null_kernels, 1 refused by pass"
expect out 'identifier "nothing" is undefined'
expect report.md "| 1_right | admitted | –"
expect tasks/1_right/program.toml 'kernels = ["twice"]'
# All is settled: nothing is built again, and the names of the report stay.
rm -rf tasks level/*/init.cu.warpmind
ends_with 1 "${import[@]}" --libtorch level
expect out "4 programs, 1 admitted, 1 refused by build, 1 refused by null_kernels, 1 refused by pass"
[ ! -e tasks ] || { echo "settled programs were imported again"; exit 1; }

# A program task of one file is optimised in a copy, once the user says so.
mkdir sums
cp "$root/tests/integration/hosting/programs/three_kernels.cu" sums/main.cu
cp sums/main.cu untouched
cat > sums/program.toml <<'TOML'
name = "sums"
build = "nvcc -std=c++17 -O3 -arch={arch} main.cu -o main"
run = "./main"
kernels = [".*"]
editable = ["main.cu"]
[pass]
exit_code = 0
output = "67 x 133: first [1-9]"
TOML
ends_with 2 "$bin/warpmind" optimize sums --provider sim
expect err "add --as-user"
ends_with 0 "$bin/warpmind" optimize sums --provider sim --as-user --evaluations 1
expect out "(built, run: same output)"
expect sums.optimized.cu "wm_launch_"
cmp -s sums/main.cu untouched || { echo "the task was changed"; exit 1; }
[ ! -e sums/main ] || { echo "the task's folder was built in"; exit 1; }
sed -i 's/first \[1-9\]/first/' sums/program.toml
ends_with 1 "$bin/warpmind" optimize sums --provider sim --as-user --evaluations 1
expect out "refused by the control null_kernels"
echo "program tasks work"
