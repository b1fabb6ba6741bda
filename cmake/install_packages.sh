#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing. Asks for root only when one is.
set -euo pipefail
list="$(dirname "$0")/packages.txt"
missing=()
while read -r package; do
  case "$package" in '' | '#'*) continue ;; esac
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    missing+=("$package")
done < "$list"
# npm brings the grammar, which is fetched once.
if ! command -v npm > /dev/null && [ ! -d "$(dirname "$0")/../build/grammar/tree-sitter-0.25.1" ]; then
  missing+=(npm)
fi
if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    command -v sudo >/dev/null || {
      echo "Missing packages and no sudo. As root run: apt-get install ${missing[*]}" >&2
      exit 4
    }
  fi
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
"$(dirname "$0")/fetch_grammar.sh"
"$(dirname "$0")/fetch_dashboard.sh"
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null || true)
if [ -z "$nvcc" ]; then
  echo "CUDA toolkit 13 not found: no nvcc on PATH, in \$CUDA_HOME/bin or /usr/local/cuda/bin." >&2
  echo "Install it (developer.nvidia.com/cuda-downloads), or set CUDA_HOME, and run make again." >&2
  exit 4
fi
