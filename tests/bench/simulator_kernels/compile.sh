#!/bin/sh
# Makes the .ptx beside each .cu again (nvcc 13.0). Names of files are cut to the last part.
set -eu
cd "$(dirname "$0")"
for source in ${*:-*.cu}; do
  nvcc -std=c++17 -ptx -lineinfo -arch=compute_90 "$source" -o - |
    sed -E 's|(\.file[[:space:]]+[0-9]+ ")[^"]*/|\1|' > "${source%.cu}.ptx"
done
