#!/usr/bin/env bash
# Whole programs through client and daemon, on the simulator's runtime: recorded, optimised, written
# back, built and run; and everything that is refused, with its exit code.
# program_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="$PATH:/usr/local/cuda/bin"
command -v nvcc > /dev/null || { echo "skipped: no nvcc"; exit 77; }
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" CUDA_VISIBLE_DEVICES=
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
cd "$scratch"
cp "$root"/tests/integration/hosting/programs/*.cu .

expect() {  # expect FILE TEXT
  grep -qF -- "$2" "$1" || { echo "missing: $2"; cat "$1"; exit 1; }
}
sim=(--provider sim --run './a.out')

# Two parts, both better, in a program that prints the same for another size, too.
cp three_kernels.cu untouched
"$bin/warpmind" optimize three_kernels.cu "${sim[@]}" --evaluations 2 > report 2> progress
expect report "  kernels  scale, shift"
expect report "sum_rows"
expect report "(built, run: same output)"
expect three_kernels.optimized.cu "wm_launch_sum_rows("
cmp -s three_kernels.cu untouched || { echo "the given file was changed"; exit 1; }
"$bin/warpmind" validate three_kernels.cu.warpmind/tasks/sum_rows > valid

# Host edits are shown, then made and verified, each by itself; one JSON document.
"$bin/warpmind" explain-moves host_calls.cu --diff > moves
expect moves "host code"
expect moves "-  cudaDeviceSynchronize();"
"$bin/warpmind" optimize host_calls.cu "${sim[@]}" --evaluations 1 --host-edits all --json > report 2> progress
[ "$(wc -l < report)" -eq 1 ] || { echo "not one line"; cat report; exit 1; }
expect report '"host_edits":["direct_output","drop_redundant_sync","stream_ordered_alloc"]'
expect report '"verified":"built, run: same output"'
expect host_calls.optimized.cu "cudaMallocAsync(&middle, n * sizeof(int), 0);"

# The task has the program's own lengths, so that its time is that of the program's launch.
number() { grep -o "\"$2\":[0-9.e+]*" "$1" | head -1 | cut -d: -f2; }
"$bin/warpmind" optimize masked_softmax.cu "${sim[@]}" --evaluations 2 --json > report 2> progress
expect report '"inputs":"len as recorded; x like the recorded values"'
task=masked_softmax.cu.warpmind/tasks/masked_softmax
[ "$(stat -c %s "$task"/values/*)" -eq 2048 ] || { echo "not 512 lengths"; ls -l "$task/values"; exit 1; }
[ "$(stat -c %a "$task/values")" = 700 ] || { echo "others may read $task/values"; exit 1; }
# What was built last is the optimised program: its launch takes the time that the task said.
CUDASIM_DEVICE=h200 CUDASIM_KERNELS=launch LD_LIBRARY_PATH=$bin/../lib/simulator masked_softmax.cu.warpmind/program > out
awk -v best="$(number report best_ns)" -v from="$(number launch start)" -v to="$(number launch end)" \
  'BEGIN { ratio = best / (to - from); exit !(ratio > 0.7 && ratio < 1.4) }' ||
  { echo "the task's time is not the launch's"; cat launch; number report best_ns; exit 1; }
job=$(grep -o 'j-[0-9]*' report | head -1)
"$bin/warpmind" result "$job" > out && expect out "len as recorded; x like the recorded values"
"$bin/warpmind" why "$job" > out && expect out "inputs: len as recorded; x like the recorded values"
"$bin/warpmind" optimize masked_softmax.cu "${sim[@]}" --evaluations 1 --no-recorded-inputs > report 2> progress
expect report "x invented"
expect report "len invented (0"
[ ! -e masked_softmax.cu.warpmind/record.contents ] || { echo "contents are kept"; exit 1; }

# Pairs work in their own order only: nobody is accused, and the report says what was tried.
"$bin/warpmind" optimize range_sums.cu "${sim[@]}" --evaluations 1 > report 2> progress
expect report "only used as recorded"

refused() {  # refused FILE TEXT: exit code 2 and one sentence
  local code=0
  "$bin/warpmind" optimize "$1" "${sim[@]}" --run-seconds "${3:-60}" > out 2> err || code=$?
  [ "$code" -eq 2 ] || { echo "$1: exit code $code, want 2"; cat err; exit 1; }
  tail -1 err > said && expect said "$2"
}
kernel='#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(float* x) { x[0] = 1; }
'
echo 'int main() { return 0; }' > none.cu && refused none.cu "defines no kernel"
echo "$kernel int main() { return 0 }" > broken.cu && refused broken.cu "does not build"
echo "$kernel int main() { return 3; }" > failing.cu && refused failing.cu "exit code 3"
echo "$kernel int main() { __builtin_trap(); }" > crash.cu && refused crash.cu "died of signal"
echo "$kernel int main() { return 0; }" > idle.cu && refused idle.cu "no CUDA call"
echo "$kernel int main() { for (;;) {} }" > endless.cu && refused endless.cu "did not end within 1 s" 1
echo "$kernel int main() { for (;;) puts(\"0123456789\"); }" > loud.cu
refused loud.cu "writes more than 64 MiB"
echo '__global__ void h(float* x) { x[0] = 1; }' > h.h
echo "#include \"h.h\"
$kernel int main() { float* x; cudaMalloc(&x, 4); h<<<1, 1>>>(x); return cudaDeviceSynchronize(); }" > header.cu
refused header.cu "kernels in headers and other files are not looked at"
refused missing.cu "there is no such file"

# What the recorded run met counts, whatever the program made of it.
steps='#include <cstdio>
#include <vector>
__global__ void add(int n, const float* x, float* y) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + y[i];
}
__global__ void unordered(int* out) {
  __shared__ int slots[64];
  slots[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = slots[63 - threadIdx.x];
}
'
echo "$steps int main() { float* x; cudaMalloc(&x, 256); add<<<dim3(1, 70000), 32>>>(64, x, x); return 0; }" > grid.cu
refused grid.cu "a launch of 'add' did not happen: its grid has 70000 blocks along y, and CUDA allows 65535"
echo "$steps int main() { float* x; cudaMalloc(&x, 256); add<<<1, 32>>>(65, x, x); cudaDeviceSynchronize(); puts(\"fine\"); }" > beyond.cu
refused beyond.cu "'add' failed while the program ran: "
echo "$steps int main() { int* o; cudaMalloc(&o, 256); unordered<<<1, 64>>>(o); cudaDeviceSynchronize(); puts(\"fine\"); }" > racing.cu
code=0
"$bin/warpmind" optimize racing.cu "${sim[@]}" --evaluations 1 > report 2> progress || code=$?
[ "$code" -eq 1 ] || { echo "racing.cu: exit code $code"; cat report progress; exit 1; }
expect report "found    'unordered' in the recorded run: "
expect report "shared race, line"

# Times are left out of the comparison; an output that needs no kernel proves nothing, and it is said.
main='
int main() {
  const int n = 1 << 16;
  std::vector<float> h(n, 1.0f);
  float *x, *y, e = 0, ms = 0;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(y, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  cudaEventRecord(a);
  add<<<1, 256>>>(n, x, y);
  cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&ms, a, b);
  cudaMemcpy(h.data(), y, n * 4, cudaMemcpyDeviceToHost);
  for (float v : h) e += v == 2.0f ? 0 : 1;
'
echo "$steps$main printf(\"took %.1f us\\nwrong %g of %d\\n\", ms * 1e3f, e, n); }" > timed.cu
"$bin/warpmind" optimize timed.cu "${sim[@]}" --evaluations 3 > report 2> progress
expect report "same output, leaving out what changes"
expect report "from run to run of the given program (1 field)"
echo "$steps$main puts(\"done\"); }" > silent.cu
"$bin/warpmind" optimize silent.cu "${sim[@]}" --evaluations 3 > report 2> progress
expect report "its output proves nothing"

# A kernel that is not written back says why, and the program stays.
echo "$kernel template <class T> __global__ void t(T* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
int main() { float* x; cudaMalloc(&x, 400); cudaMemset(x, 0, 400); t<float><<<1, 128>>>(x, 100); return cudaDeviceSynchronize(); }" > generic.cu
"$bin/warpmind" optimize generic.cu "${sim[@]}" --evaluations 1 > report 2> progress
expect report "'t': it is a template"
[ ! -e generic.optimized.cu ] || { echo "generic.optimized.cu was written"; exit 1; }
echo "whole programs work"
