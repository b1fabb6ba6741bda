#!/usr/bin/env bash
# The instructions of docs/agents.md, followed: check_agent.sh BIN_DIRECTORY codex|opencode|python|http|skill
# Exit 77: the client cannot be had. Nothing leaves the machine but the download of packages.
set -euo pipefail
usage="usage: check_agent.sh BIN_DIRECTORY codex|opencode|python|http|skill"
bin=$(cd "${1:?$usage}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() { echo "$1"; exit 77; }

# package NAME: from npm into $folder
package() {
  [ "$(uname -sm)" = "Linux x86_64" ] || skip "$1 runs on Linux x86_64 alone"
  command -v npm > /dev/null || skip "npm is not installed"
  (cd "$folder" && npm install --no-audit --no-fund --ignore-scripts "$1") \
    > "$folder/npm.log" 2>&1 || skip "$1 cannot be installed"
}

case "${2:?$usage}" in
  codex)
    package @openai/codex@0.169.0-linux-x64
    program=$folder/node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex
    ;;
  opencode)
    package opencode-linux-x64@1.18.34
    program=$folder/node_modules/opencode-linux-x64/bin/opencode
    ;;
  python)
    python3 -c 'import venv, ensurepip' 2> /dev/null || skip "python3-venv is not installed"
    program=""
    ;;
  http)
    command -v curl > /dev/null || skip "curl is not installed"
    program=""
    ;;
  skill) program="" ;;
  *) echo "$usage" && exit 2 ;;
esac
python3 "$here/agents_test.py" "$bin" "$2" "$program" 2> "$folder/told" ||
  { cat "$folder/told"; exit 1; }
grep "^$2:" "$folder/told"
