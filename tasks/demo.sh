#!/usr/bin/env bash
# The main job, shown: optimise one kernel, twice, and look at what was remembered.
# demo.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "${1:?usage: demo.sh BIN_DIRECTORY}" && pwd)
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/run/demo.sock"
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
warpmind() {
  echo
  echo "\$ warpmind $*"
  "$bin/warpmind" "$@"
}
finish() {
  "$bin/warpmind" daemon stop >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT

code=0
warpmind optimize tasks/row_softmax_f16 --evaluations 10 || code=$?
if [ "$code" -eq 4 ]; then
  echo
  echo "No GPU at hand: the same task against verdicts that were recorded on an H200, labelled so."
  fixtures="tests/data/fixtures/h200/row_softmax_f16"
  warpmind optimize tasks/row_softmax_f16 --evaluations 10 --provider fixture --fixtures "$fixtures"
  echo
  echo "And again: the second run starts from what the first one wrote to the base."
  warpmind optimize tasks/row_softmax_f16 --evaluations 4 --provider fixture --fixtures "$fixtures"
elif [ "$code" -eq 0 ]; then
  echo
  echo "And again: the second run starts from what the first one wrote to the base."
  warpmind optimize tasks/row_softmax_f16 --evaluations 4
else
  exit "$code"
fi
warpmind kb stats
