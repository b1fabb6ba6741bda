#!/usr/bin/env bash
# MCP Inspector's command line against the daemon, over standard input and over HTTP:
# check_inspector.sh BIN_DIRECTORY. Exit 77: it cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/conformance/stage.sh" "$1" @modelcontextprotocol/inspector@2.12.0
inspector="$home/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
# It gives a server that it starts no environment but what is named.
environment=()
for name in $(compgen -e WARPMIND_) XDG_CACHE_HOME; do environment+=(-e "$name=${!name}"); done
over() {  # stdio|http WORD…
  local way=$1
  shift
  if [ "$way" = stdio ]; then
    node "$inspector" --cli "${environment[@]}" "$bin/warpmind" mcp "$@"
  else
    node "$inspector" --cli "$url" --transport http --header "Authorization: Bearer $token" "$@"
  fi
}
expect() {  # JSON EXPRESSION: must be true of the value `r`
  node -e 'const [text, rule] = process.argv.slice(1);
    if (!new Function("r", `return ${rule}`)(JSON.parse(text))) { console.log("not so:", rule, text); process.exit(1); }' "$@"
}
for way in stdio http; do
  expect "$(over $way --method tools/list)" 'r.tools.length === 9 && r.tools.every(t => t.outputSchema)'
  expect "$(over $way --method tools/call --tool-name device_info)" 'r.structuredContent.mode === "sim"'
  expect "$(over $way --method tools/call --tool-name kb_search --tool-arg query=softmax)" \
    'r.structuredContent.insights.length > 0'
  expect "$(over $way --method resources/list)" 'Array.isArray(r.resources)'
  expect "$(over $way --method prompts/list)" 'r.prompts.length === 2'
done
# Without the token HTTP says nothing.
if node "$inspector" --cli "$url" --transport http --method tools/list > "$home/bare.log" 2>&1; then
  echo "HTTP answered without a token"
  exit 1
fi
echo "tools/list, two tools/call, resources/list, prompts/list over stdio and HTTP; refused without the token"
