#!/usr/bin/env bash
# From opening a .cu file in VS Code to the first lens on the screen: lens_bench.sh BIN_DIRECTORY [RUNS]
# The last line is `RESULT key=value …`, times in ms. Exit code 77 with a reason when the programs cannot be had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/workbench.sh" "$1"
cp -r "$root/tasks/row_softmax_f16" "$scratch/project/softmax"
install_extension
user_settings '"warpmind.predict": false'
start_workbench
timeout 580 "$node" "$here/lens_bench.mjs" "$tools" "$url" "$scratch" "$bin" "${2:-10}"
