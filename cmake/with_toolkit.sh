#!/usr/bin/env bash
# Runs a command with nvcc on PATH, wherever the toolkit is installed.
set -euo pipefail
if ! command -v nvcc >/dev/null; then
  export PATH="${CUDA_HOME:-/usr/local/cuda}/bin:$PATH"
fi
exec "$@"
