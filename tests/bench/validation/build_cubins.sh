#!/usr/bin/env bash
# Compiles every build of the point table: PTX for the simulator, a cubin for the GPU.
#   build_cubins.sh VALIDATION_BUILDS OUTPUT_DIRECTORY [ARCHITECTURE=90]
# VALIDATION_BUILDS is the program of that name from the build tree. Two compilers at a time.
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n 2,4p "$0"
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
builds=$1
output=$2
export arch=${3:-90} kernels="$here/kernels" output
command -v nvcc >/dev/null || { echo "build_cubins: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$output"

build_one() {
  read -r name file constants <<<"$1"
  # shellcheck disable=SC2086 # the constants are separate words
  nvcc -std=c++17 -O3 -lineinfo -ptx -arch="compute_$arch" $constants "$kernels/$file.cu" \
    -o "$output/$name.ptx" &&
    ptxas -O3 -lineinfo -arch="sm_$arch" "$output/$name.ptx" -o "$output/$name.cubin" ||
    { echo "build_cubins: $name does not compile" >&2; return 255; }
}
export -f build_one

flush='flush flush'
{ "$builds" "$here/points.toml"; echo "$flush"; } | xargs -d '\n' -P 2 -I '{}' bash -c 'build_one "{}"'
echo "$(find "$output" -name '*.cubin' | wc -l) cubins in $output"
