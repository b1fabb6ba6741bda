#!/usr/bin/env bash
# The dashboard in a headless Chromium, against a real daemon on the simulator: dashboard_test.sh BIN_DIRECTORY
# Exit code 77 with a reason when what it needs cannot be had.
set -euo pipefail
bin=$(cd "${1:?usage: dashboard_test.sh BIN_DIRECTORY}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
command -v chromium > /dev/null || { echo "skipped: no chromium; apt-get install chromium"; exit 77; }
if grep -q '"resolved"' "$root/clients/dashboard/package-lock.json"; then
  echo "package-lock.json names where packages come from; write it with the .npmrc beside it"
  exit 1
fi
"$root/cmake/fetch_dashboard.sh"
packages="$root/build/dashboard/packages-$(sha256sum "$root/clients/dashboard/package-lock.json" | cut -c1-16)"
[ -d "$packages/node_modules/playwright-core" ] || { echo "skipped: the packages of the dashboard cannot be had"; exit 77; }

scratch=$(mktemp -d)
chmod 700 "$scratch"
finish() {
  "$bin/warpmind" daemon stop --no-start > /dev/null 2>&1 || true
  rm -rf "$scratch" || true
}
trap finish EXIT
unset XDG_CONFIG_HOME
export HOME="$scratch" CUDA_VISIBLE_DEVICES=
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export WARPMIND_KNOWLEDGE_RESERVE_MIB=192
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
# Tasks with names that would be markup, were they not text.
for task in column_sum vector_add_chain row_softmax_f16; do
  cp -r "$root/tasks/$task" "$scratch/$task"
done
sed -i "1i // <img src=x onerror=\"document.title='owned'\"> is a comment" "$scratch/column_sum/kernel.cu"
node "$here/dashboard_test.mjs" "$bin" "$packages" "$scratch"
