#!/usr/bin/env bash
# Runs a command with nvcc on PATH and CUDAToolkit_ROOT set, wherever the toolkit is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(dirname "$here")/build
# shellcheck source=cmake/toolkit.sh
. "$here/toolkit.sh"
if nvcc=$(find_nvcc); then
  root=$(linkable_root "$nvcc")
  # Not for a script in /usr/bin: CMake follows it to where Debian's packages lie.
  [ -x "$root/bin/nvcc" ] && [ "$root" != /usr ] && export CUDAToolkit_ROOT=$root
  [ "$(command -v nvcc)" = "$nvcc" ] || export PATH="$(dirname "$nvcc"):$PATH"
fi
exec "$@"
