#!/usr/bin/env bash
# The official SDK against `warpmind mcp`: check_sdk.sh BIN_DIRECTORY. Exit 77: it cannot be had.
set -euo pipefail
bin=$(cd "${1:?usage: check_sdk.sh BIN_DIRECTORY}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
command -v npm > /dev/null || { echo "npm is not installed"; exit 77; }
home=$(mktemp -d)
chmod 700 "$home"
export WARPMIND_DAEMON_ALLOW_ROOT=true WARPMIND_DAEMON_STATE_DIRECTORY="$home/state"
export WARPMIND_DAEMON_SOCKET="$home/s" XDG_CACHE_HOME="$home/cache"
trap '"$bin/warpmind" daemon stop --no-start > /dev/null 2>&1 || true; rm -rf "$home"' EXIT
(cd "$home" && npm install --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2) \
  > "$home/npm.log" 2>&1 || { echo "the SDK cannot be installed"; exit 77; }
node "$here/sdk_client.mjs" "$home/node_modules" "$bin/warpmind" "$here/../../../tasks/vector_add"
