#!/usr/bin/env bash
# The extension in a real VS Code (code-server, headless Chromium), on the simulator: editor_test.sh BIN_DIRECTORY
# [SCREENSHOT_DIRECTORY]. Exit code 77 with a reason when the programs cannot be had; CHECK_CLIENTS_TOOLS names a folder
# that holds code-server already.
set -euo pipefail
pictures=${2:-}
[ -n "$pictures" ] && mkdir -p "$pictures" && pictures=$(cd "$pictures" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/workbench.sh" "$1"
cp -r "$root/tasks/row_softmax_f16" "$scratch/project/softmax"
mkdir "$scratch/project/program"
cp "$here/smooth.cu" "$scratch/project/program"
install_extension
user_settings '"warpmind.evaluations": 1'
program_setting /nowhere/warpmind
start_workbench
timeout 540 "$node" "$here/editor_test.mjs" "$tools" "$url" "$scratch" "$bin" "$pictures"
