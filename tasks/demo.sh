#!/usr/bin/env bash
# The main job, shown: optimise three kernels in turn, and see later episodes use what earlier ones
# learned. With a GPU times are measured; without one they are predicted, and called so.
# demo.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "${1:?usage: demo.sh BIN_DIRECTORY}" && pwd)
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/run/demo.sock"
finish() {
  "$bin/warpmind" daemon stop >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT

# optimise TASK EVALUATIONS: live progress on stderr is kept, too, for the lines about memory.
optimise() {
  echo
  echo "\$ warpmind optimize tasks/$1 --evaluations $2"
  "$bin/warpmind" optimize "tasks/$1" --evaluations "$2" 2> >(tee "$scratch/progress-$1" >&2)
}

start=$SECONDS
optimise row_softmax_f16 3
optimise layernorm_f16 3
optimise column_sum 2
echo
echo "What the later episodes were told by memory:"
for task in layernorm_f16 column_sum; do
  sed -n "s/^.*\(memory: .*\)$/  $task: \1/p" "$scratch/progress-$task" | head -1
done
echo
echo "\$ warpmind kb stats"
"$bin/warpmind" kb stats
echo
echo "Three tasks in $((SECONDS - start)) s."
