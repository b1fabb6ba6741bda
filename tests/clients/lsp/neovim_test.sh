#!/usr/bin/env bash
# `warpmind lsp` in a headless Neovim with the configuration that docs/editors.md prints, from a clean home, on the
# simulator: lenses, a job, hover, the variant applied.
# neovim_test.sh BIN_DIRECTORY; exit code 77 without Neovim.
set -euo pipefail
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
command -v nvim > /dev/null || { echo "skipped: no nvim (apt-get install neovim)"; exit 77; }
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" HOME="$scratch/home" CUDA_VISIBLE_DEVICES= WARPMIND_KNOWLEDGE_RESERVE_MIB=192
export PATH="$bin:$PATH:/usr/local/cuda/bin"
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
cp -r "$here/../../../tasks/row_softmax_f16" "$scratch/task"
mkdir -p "$HOME/.config/nvim"
awk '/^## Neovim/ { on = 1 } on && /^```lua/ { copy = 1; next } copy && /^```/ { exit } copy' \
  "$here/../../../docs/editors.md" > "$HOME/.config/nvim/init.lua"
cd "$scratch/task"
timeout 400 nvim --headless -n kernel.cu -c "luafile $here/neovim.lua" 2>&1
echo
echo "Neovim works: $(nvim --version | head -1)"
