# The CUDA toolkit for the shell; to be sourced. The order is that of config/toolkit_search.h.

# nvcc_release NVCC: "13.0", or nothing.
nvcc_release() { "$1" --version 2> /dev/null | sed -nE 's/.*release ([0-9]+\.[0-9]+).*/\1/p'; }

# is_release_wanted RELEASE: from 12.4 to 13.x.
is_release_wanted() {
  local major=${1%%.*} minor=${1#*.}
  [ "$major" -eq 13 ] || { [ "$major" -eq 12 ] && [ "$minor" -ge 4 ]; }
} 2> /dev/null

# packages_of PREFIX: where the Pythons below it keep packages.
packages_of() {
  [ -n "$1" ] || return 0
  ls -1dv "$1"/{lib,lib64,local/lib}/python3*/{site,dist}-packages 2> /dev/null | tac
}

# nvcc_candidates: every nvcc that is there, the first that counts first. BUILD is build/ of this tree.
nvcc_candidates() {
  local python packages
  type -ap nvcc
  ls -1 "${CUDA_HOME:-/nowhere}/bin/nvcc" "${CUDA_PATH:-/nowhere}/bin/nvcc" /usr/local/cuda/bin/nvcc
  ls -1dv /usr/local/cuda-*/bin/nvcc | tac
  ls -1 /opt/cuda/bin/nvcc /usr/bin/nvcc
  python=$(command -v python3 || true)
  for packages in $(packages_of "${VIRTUAL_ENV:-}") $(packages_of "${python%/bin/python3}") \
    $(packages_of "${HOME:-}/.local") $(packages_of "$BUILD/toolkit"); do
    ls -1 "$packages"/nvidia/{cu13,cuda_nvcc}/bin/nvcc
  done
  ls -1 "${CONDA_PREFIX:-/nowhere}/bin/nvcc"
} 2> /dev/null

# find_nvcc: the first of a wanted release. Exit code 1, and the last word about what is there, when none is.
find_nvcc() {
  local nvcc release found=
  while read -r nvcc; do
    release=$(nvcc_release "$nvcc")
    if is_release_wanted "${release:-0.0}"; then
      echo "$nvcc"
      return 0
    fi
    [ -n "$release" ] && found="the CUDA toolkit of $nvcc is $release"
  done < <(nvcc_candidates)
  echo "${found:-no CUDA toolkit was found}"
  return 1
}

# linkable_root NVCC: the toolkit's folder; where the linker would find no libcudart.so in it (pip's packages
# have none), a folder of links to its files in BUILD/cuda that has.
linkable_root() {
  local real root farm file part
  real=$(readlink -f "$1")
  root=$(dirname "$(dirname "$real")")
  if [ "$(head -c 2 "$real")" = '#!' ] || [ "$(basename "$(dirname "$root")")" != nvidia ] || [ -e "$root/lib64/libcudart.so" ]; then
    echo "$root"
    return 0
  fi
  farm=$BUILD/cuda
  rm -rf "$farm"
  mkdir -p "$farm/include" "$farm/lib64"
  ln -s "$root/bin" "$root/nvvm" "$farm"
  for part in "$root" "$(dirname "$root")"/*; do
    case "$root/" in */cu13/) [ "$part" = "$root" ] || continue ;; esac
    for file in "$part"/include/*; do [ -e "$file" ] && ln -sf "$file" "$farm/include/"; done
    for file in "$part"/lib/lib*; do [ -e "$file" ] && ln -sf "$file" "$farm/lib64/"; done
  done
  for file in "$farm"/lib64/libcudart.so.*; do ln -sf "$(basename "$file")" "$farm/lib64/libcudart.so"; done
  echo "$farm"
}

# offer_pip_toolkit: installs pip's packages of CUDA 13 to BUILD/toolkit, where an index can be reached; asks on a
# terminal, unless WARPMIND_YES=1. Exit code 4 with a sentence when it cannot be had.
offer_pip_toolkit() {
  local why=$1 scratch answer
  local cure="install CUDA 12.4 to 13.x (developer.nvidia.com/cuda-downloads) or set CUDA_HOME, and run make again"
  if ! python3 -c 'import venv, ensurepip' > /dev/null 2>&1; then
    echo "$why, and without python3 and its venv (apt-get install python3-venv) none can be brought: $cure." >&2
    exit 4
  fi
  scratch=$(mktemp -d)
  if ! timeout 60 python3 -m pip download --quiet --retries 0 --timeout 10 --no-deps --dest "$scratch" \
    'nvidia-cuda-crt>=13,<14' > /dev/null 2>&1; then
    rm -rf "$scratch"
    echo "$why, and no Python index can be reached that would bring one: $cure." >&2
    exit 4
  fi
  rm -rf "$scratch"
  if [ -t 0 ] && [ "${WARPMIND_YES:-}" != 1 ]; then
    read -r -p "$why. Install CUDA 13 from PyPI into build/toolkit (300 MB)? [Y/n] " answer
    case "$answer" in [nN]*)
      echo "Then $cure." >&2
      exit 4
      ;;
    esac
  fi
  echo "Installing CUDA 13 from PyPI into build/toolkit"
  python3 -m venv "$BUILD/toolkit"
  "$BUILD/toolkit/bin/pip" install --quiet --disable-pip-version-check 'nvidia-cuda-nvcc>=13,<14' \
    'nvidia-cuda-cccl>=13,<14' 'nvidia-cuda-cupti>=13,<14' 'nvidia-cuda-profiler-api>=13,<14' || {
    rm -rf "$BUILD/toolkit"
    echo "pip could not install the CUDA toolkit: $cure." >&2
    exit 4
  }
}
