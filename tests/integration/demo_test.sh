#!/usr/bin/env bash
# Whole episodes through client, daemon and base without a GPU: a refusal where a job asks for one, exit
# code 4 where the settings do, predictions where nothing is asked for, and two on recorded verdicts, the second starting from the
# first.
# demo_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap '"$bin/warpmind" daemon stop >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/state" WARPMIND_DAEMON_SOCKET="$scratch/d.sock"
export XDG_CACHE_HOME="$scratch/cache" CUDA_VISIBLE_DEVICES=
[ "$(id -u)" -eq 0 ] && export WARPMIND_DAEMON_ALLOW_ROOT=true
task="$root/tasks/row_softmax_f16"
fixtures="$root/tests/data/fixtures/h200/row_softmax_f16"

expect() {  # expect FILE TEXT
  grep -qF -- "$2" "$1" || { echo "missing: $2"; cat "$1"; exit 1; }
}

code=0
"$bin/warpmind" optimize "$task" --provider gpu > "$scratch/refused" 2>&1 || code=$?
[ "$code" -eq 2 ] || { echo "exit code $code, want 2"; cat "$scratch/refused"; exit 1; }
expect "$scratch/refused" "there is no GPU here to measure on"
code=0
"$bin/warpmind" optimize "$task" --device h20 > "$scratch/refused" 2>&1 || code=$?
[ "$code" -eq 2 ] || { echo "exit code $code, want 2"; cat "$scratch/refused"; exit 1; }
expect "$scratch/refused" "did you mean 'h200'?"
"$bin/warpmind" daemon stop > /dev/null
code=0
"$bin/warpmind" optimize "$task" --set lab.provider=gpu > "$scratch/blocked" 2>&1 || code=$?
"$bin/warpmind" daemon stop > /dev/null
[ "$code" -eq 4 ] || { echo "exit code $code, want 4"; cat "$scratch/blocked"; exit 1; }
expect "$scratch/blocked" "row_softmax_f16: nothing could be measured"
expect "$scratch/blocked" "  why      no CUDA device"
expect "$scratch/blocked" "$bin/warpmind doctor"
"$bin/warpmind" result 1 --verbose > "$scratch/blocked_in_full" || true
expect "$scratch/blocked_in_full" "registers a thread"

# Without a word about the provider a machine without GPU predicts, and says so in the first line.
"$bin/warpmind" optimize "$task" --evaluations 1 > "$scratch/predicted" 2> "$scratch/progress"
expect "$scratch/progress" "no GPU is used"
head -1 "$scratch/predicted" > "$scratch/line" && expect "$scratch/line" "× faster (predicted for H200"
grep -qE '^row_softmax_f16: [0-9.]+× faster' "$scratch/predicted" || { cat "$scratch/predicted"; exit 1; }
grep -qE '^  slow     kernel\.cu:[0-9]+ each load of a warp touches ' "$scratch/predicted" || { cat "$scratch/predicted"; exit 1; }
[ "$(wc -l < "$scratch/predicted")" -le 18 ] || { echo "not a short report"; cat "$scratch/predicted"; exit 1; }
[ "$(wc -l < "$scratch/progress")" -le 5 ] || { echo "more than a line a kernel"; cat "$scratch/progress"; exit 1; }
"$bin/warpmind" result 2 --verbose > "$scratch/predicted_in_full"
expect "$scratch/predicted_in_full" "on NVIDIA H200, simulated"
"$bin/warpmind" report --jobs 2 --html "$scratch/report.html"
expect "$scratch/report.html" "<h1>Report</h1>"
expect "$scratch/report.html" "row_softmax_f16"
"$bin/warpmind" optimize "$root/tasks/layernorm_f16" --evaluations 1 --device a100_80 > "$scratch/other" 2> "$scratch/progress"
expect "$scratch/other" "(predicted for A100"
expect "$scratch/progress" "with evidence"

# A recording holds what one search asked: its candidates again, on a base of its own, without the
# random withholding of insights.
"$bin/warpmind" daemon stop > /dev/null
export WARPMIND_DAEMON_STATE_DIRECTORY="$scratch/recorded" WARPMIND_KNOWLEDGE_INSIGHTS=false
again=(--policy greedy --provider fixture --fixtures "$fixtures" --proposer replay --replay)
"$bin/warpmind" optimize "$task" --evaluations 10 "${again[@]}" "$fixtures.first.jsonl" > "$scratch/first"
expect "$scratch/first" "row_softmax_f16: 2.29× faster (recorded on H200; 99 %: "
"$bin/warpmind" result 1 --verbose > "$scratch/first_in_full"
expect "$scratch/first_in_full" "Recorded evidence (provider fixture)"
expect "$scratch/first_in_full" "uncoalesced_access"
expect "$scratch/first_in_full" "Written to the base"
"$bin/warpmind" daemon stop > /dev/null
"$bin/warpmind" optimize "$task" --evaluations 4 "${again[@]}" "$fixtures.second.jsonl" > "$scratch/second" 2> "$scratch/progress"
expect "$scratch/progress" "memory: 1 earlier episode of this task"
expect "$scratch/second" "a kernel found earlier"
"$bin/warpmind" kb stats --json > "$scratch/stats"
expect "$scratch/stats" '"improved":2'
echo "demo holds"
