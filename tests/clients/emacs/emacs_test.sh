#!/usr/bin/env bash
# `warpmind lsp` in Emacs with eglot, on the simulator, with the configuration that docs/editors.md prints:
# emacs_test.sh BIN_DIRECTORY; exit code 77 without Emacs or eglot.
set -euo pipefail
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
command -v emacs > /dev/null || { echo "skipped: no emacs (apt-get install emacs-nox elpa-eglot)"; exit 77; }
emacs --batch --eval '(progn (package-initialize) (require (quote eglot)))' > /dev/null 2>&1 ||
  { echo "skipped: Emacs has no eglot (apt-get install elpa-eglot, or Emacs 29)"; exit 77; }
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop --no-start > /dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" HOME="$scratch/home" CUDA_VISIBLE_DEVICES= WARPMIND_KNOWLEDGE_RESERVE_MIB=192
export PATH="$bin:$PATH:/usr/local/cuda/bin"
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
mkdir -p "$HOME/.emacs.d"
# The user's part is what the page says, word by word.
awk '/^## Emacs/ { on = 1 } on && /^```elisp/ { copy = 1; next } copy && /^```/ { exit } copy' \
  "$root/docs/editors.md" > "$HOME/.emacs.d/init.el"
grep -q eglot "$HOME/.emacs.d/init.el" || { echo "docs/editors.md has no configuration for Emacs"; exit 1; }
cp -r "$root/tasks/row_softmax_f16" "$scratch/task"
cd "$scratch/task"
# Batch mode leaves out the packages, which every other start makes known before init.el.
timeout 300 emacs --batch -f package-initialize -l "$HOME/.emacs.d/init.el" -l "$here/emacs_test.el" 2>&1
