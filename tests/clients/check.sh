#!/usr/bin/env bash
# Every check of clients and editors with the real programs: check.sh BIN_DIRECTORY
# The last line is "N passed, N failed, N skipped"; exit 1 if one failed. Not part of CI.
set -uo pipefail
bin=$(cd "${1:?usage: check.sh BIN_DIRECTORY}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# try NAME COMMAND…: exit code 77 is a skip with a reason.
try() {
  local name=$1 start=$SECONDS code=0
  shift
  "$@" > "$log" 2>&1 || code=$?
  case $code in
    0) passed=$((passed + 1)); echo "ok    $name ($((SECONDS - start)) s): $(tail -1 "$log")" ;;
    77) skipped=$((skipped + 1)); echo "skip  $name: $(tail -1 "$log")" ;;
    *) failed=$((failed + 1)); echo "FAIL  $name"; tail -n 40 "$log" ;;
  esac
}

try python python3 "$here/python/client_test.py" "$bin"
try language_server python3 "$here/lsp/language_server_test.py" "$bin"
try neovim "$here/lsp/neovim_test.sh" "$bin"
try mcp_tools python3 "$here/mcp/tools_test.py" "$bin"
try agent_configurations python3 "$here/agents/configurations_test.py" "$bin"
try codex "$here/agents/check_agent.sh" "$bin" codex
try newcomer_python "$here/agents/check_agent.sh" "$bin" python
try newcomer_http "$here/agents/check_agent.sh" "$bin" http
try newcomer_skill "$here/agents/check_agent.sh" "$bin" skill
try opencode "$here/agents/check_agent.sh" "$bin" opencode
try emacs "$here/emacs/emacs_test.sh" "$bin"
try dashboard "$here/dashboard/dashboard_test.sh" "$bin"
try vscode_package "$here/vscode/package_test.sh"
try vscode "$here/vscode/editor_test.sh" "$bin"
for more in "$here"/mcp/check_*.sh; do
  [ -x "$more" ] && try "$(basename "$more" .sh)" "$more" "$bin"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
