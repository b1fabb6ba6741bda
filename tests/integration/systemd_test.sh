#!/usr/bin/env bash
# The units for the user's systemd: they verify, their exposure stays within what the docs say, and a
# socket that systemd holds starts the daemon at the first question. No running systemd is needed.
# systemd_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "$1" && pwd)
most_exposure=7.5  # docs/observability.md says why it is not less
for tool in systemd-analyze systemd-socket-activate; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
scratch=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true; rm -rf "$scratch" || true' EXIT
export HOME="$scratch" XDG_RUNTIME_DIR="$scratch/run" XDG_CONFIG_HOME="$scratch/config"
mkdir -m 700 "$XDG_RUNTIME_DIR"

printed=$("$bin/warpmind" daemon install-units)
"$bin/warpmind" daemon install-units --write > "$scratch/said"
grep -q "systemctl --user enable --now warpmindd.socket" "$scratch/said"
units="$XDG_CONFIG_HOME/systemd/user"
for unit in warpmindd.socket warpmindd.service warpmind-worker.service; do
  [ -s "$units/$unit" ] || { echo "$unit was not written"; exit 1; }
  grep -qF "$(tail -1 "$units/$unit")" <<< "$printed"
  ! grep -q '@BINARIES@' "$units/$unit" || { echo "$unit names no program"; exit 1; }
done
# A second time changes nothing; what a person changed stays beside it.
echo "# mine" >> "$units/warpmindd.service"
"$bin/warpmind" daemon install-units --write > /dev/null
grep -q "# mine" "$units/warpmindd.service.backup"

said=$(systemd-analyze verify --user "$units/warpmindd.socket" "$units/warpmindd.service" \
  "$units/warpmind-worker.service" 2>&1) || { echo "$said"; exit 1; }
[ -z "$said" ] || { echo "systemd-analyze verify says: $said"; exit 1; }

for unit in warpmindd.service warpmind-worker.service; do
  exposure=$(systemd-analyze security --user --offline=true --no-pager "$units/$unit" 2>&1 |
    sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
  echo "$unit: exposure $exposure of 10, at most $most_exposure"
  awk -v found="$exposure" -v most="$most_exposure" 'BEGIN { exit !(found != "" && found <= most) }'
done

# Socket activation: nobody runs until somebody asks.
socket="$scratch/d.sock"
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" CUDA_VISIBLE_DEVICES= WARPMIND_KNOWLEDGE_RESERVE_MIB=192
[ "$(id -u)" -ne 0 ] || export WARPMIND_DAEMON_ALLOW_ROOT=true
variables=()
while IFS='=' read -r name _; do variables+=(-E "$name"); done < <(env | grep -E '^(WARPMIND_|HOME=|XDG_|CUDA_|PATH=)')
systemd-socket-activate -l "$socket" --fdname=rpc "${variables[@]}" "$bin/warpmindd" 2> "$scratch/activate" &
daemon=$!
# The socket is there a moment before anybody listens.
until grep -q "Listening on" "$scratch/activate"; do kill -0 "$daemon"; done
[ ! -e "$scratch/state/warpmindd.lock" ] || { echo "the daemon runs before it was asked"; exit 1; }
"$bin/warpmind" status --no-start --socket "$socket" > "$scratch/status"
grep -q "warpmindd" "$scratch/status" || { cat "$scratch/status" "$scratch/activate"; exit 1; }
"$bin/warpmind" daemon stop --socket "$socket" > /dev/null
wait "$daemon" || { echo "the daemon ended with $?"; exit 1; }
daemon=
echo "systemd holds"
