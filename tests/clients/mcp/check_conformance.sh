#!/usr/bin/env bash
# The official conformance suite against the daemon's HTTP, for both revisions:
# check_conformance.sh BIN_DIRECTORY. What is expected to fail stands in conformance/*.yml with the reason;
# a failure beyond it, or a line there that no longer fails, ends with 1. Exit 77: it cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/conformance/stage.sh" "$1" @modelcontextprotocol/conformance@0.2.0-alpha.12
node "$here/conformance/relay.mjs" "$url" "$token" > "$home/relay.url" &
relay=$!
until [ -s "$home/relay.url" ]; do kill -0 "$relay"; sleep 0.1; done
for revision in 2026-07-28 2025-11-25; do
  code=0
  (cd "$home" && node node_modules/@modelcontextprotocol/conformance/dist/index.js server \
    --url "$(cat relay.url)" --requirements $revision \
    --expected-failures "$here/conformance/expected-$revision.yml") > "$home/$revision.log" 2>&1 || code=$?
  [ $code -eq 0 ] || { tail -n 80 "$home/$revision.log"; exit 1; }
done
passed() { sed -n 's/^Total: \([0-9]*\) passed.*/\1/p' "$home/$1.log"; }
expected() { grep -c '^  - ' "$here/conformance/expected-$1.yml"; }
for revision in 2026-07-28 2025-11-25; do
  echo -n "$revision: $(passed $revision) checks passed, $(expected $revision) expected to fail; "
done
echo "none failed beyond these"
