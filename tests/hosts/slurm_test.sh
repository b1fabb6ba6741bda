#!/usr/bin/env bash
# `warpmind worker --slurm`: with an sbatch that records what it is told, and, where Slurm is installed
# and root may start it, with a cluster of this one machine whose array tasks judge a task.
# slurm_test.sh BIN_DIRECTORY
set -euo pipefail
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
cleanup() {
  "$bin/warpmind" --socket "$scratch/d.sock" daemon stop > /dev/null 2>&1 || true
  local pids=() pid
  for file in "$scratch"/*.pid; do [ -e "$file" ] && pids+=("$(cat "$file")"); done
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  # slurmctld saves its state when it goes: the folder is removed after that.
  for pid in "${pids[@]}"; do timeout 20 tail --pid="$pid" -f /dev/null || true; done
  rm -rf "$scratch" || true
}
trap cleanup EXIT
expect() {  # expect FILE TEXT
  grep -qF -- "$2" "$1" || { echo "missing: $2"; cat "$1"; exit 1; }
}
(umask 077 && echo token-of-the-test > "$scratch/token")

# An sbatch that writes down its words and its script.
mkdir "$scratch/fake"
cat > "$scratch/fake/sbatch" <<SH
#!/bin/sh
printf '%s\n' "\$@" > "$scratch/words"
for last in "\$@"; do :; done
cp "\$last" "$scratch/script"
echo "4711;cluster"
SH
chmod +x "$scratch/fake/sbatch"
PATH="$scratch/fake:$PATH" "$bin/warpmind" worker --nats nats://queue:4222 --arch sm_90 \
  --token-file "$scratch/token" --slurm 8 --sbatch=--partition=gpu > "$scratch/out"
expect "$scratch/out" "8 workers are job 4711 of Slurm"
for word in --array=1-8 --gres=gpu:1 --requeue --partition=gpu; do expect "$scratch/words" "$word"; done
expect "$scratch/script" "'--serve-evaluations'"
expect "$scratch/script" "'queue.nats=nats://queue:4222'"
expect "$scratch/script" "'queue.nats_token_file=$scratch/token'"
grep -q token-of-the-test "$scratch/script" "$scratch/words" && { echo "the token was told"; exit 1; }
code=0
"$bin/warpmind" worker --nats nats://secret@queue:4222 --slurm 1 2> "$scratch/err" || code=$?
[ "$code" -eq 2 ] || { echo "exit code $code, want 2"; exit 1; }
expect "$scratch/err" "must not hold a secret"
code=0
PATH=/nowhere "$bin/warpmind" worker --nats nats://queue:4222 --slurm 1 2> "$scratch/err" || code=$?
[ "$code" -eq 4 ] || { echo "exit code $code, want 4"; cat "$scratch/err"; exit 1; }
expect "$scratch/err" "no sbatch on PATH"
echo "slurm: sbatch gets the right words"

PATH="$PATH:/usr/sbin"
for program in slurmctld slurmd munged nats-server; do
  command -v "$program" > /dev/null || { echo "not tried with Slurm itself: no $program"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "not tried with Slurm itself: it needs root"; exit 0; }
host=$(hostname -s)
port=$((20000 + RANDOM % 10000))
mkdir "$scratch/state" "$scratch/spool" "$scratch/munge" "$scratch/empty"
head -c 1024 /dev/urandom > "$scratch/munge.key"
chmod 400 "$scratch/munge.key"
cat > "$scratch/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
KillWait=10
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
CONF
export SLURM_CONF="$scratch/slurm.conf"
# until_true SECONDS WHAT COMMAND…
until_true() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > "$scratch/tried" 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { echo "not within time: $what"; cat "$scratch/tried"; tail -n 20 "$scratch"/*.log "$scratch"/worker.* ; exit 1; }
  done
}
munged --force --key-file="$scratch/munge.key" --socket="$scratch/munge/socket" \
  --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" --seed-file="$scratch/munge.seed" \
  > "$scratch/munged.log" 2>&1
slurmctld -D > "$scratch/slurmctld.log" 2>&1 &
disown $!
slurmd -D > "$scratch/slurmd.log" 2>&1 &
disown $!
nats-server -a 127.0.0.1 -p $((port + 2)) -js -sd "$scratch/jetstream" --auth token-of-the-test \
  > "$scratch/nats.log" 2>&1 &
echo $! > "$scratch/nats.pid"
disown $!
idle() { sinfo -h -o %t | grep -q idle; }
until_true 60 "the node is idle" idle

export WARPMIND_DAEMON_ALLOW_ROOT=true CUDA_VISIBLE_DEVICES=
fixtures="$root/tests/data/fixtures/h200/row_softmax_f16"
shared=(--set "queue.nats_token_file=$scratch/token" --set queue.lease_s=5)
"$bin/warpmind" --set "lab.fixture_directory=$fixtures" "${shared[@]}" worker --arch fixture \
  --nats "nats://127.0.0.1:$((port + 2))" --slurm 2 --sbatch="--output=$scratch/worker.%a" > "$scratch/out"
job=$(grep -o 'job [0-9]*' "$scratch/out" | cut -d' ' -f2)
served() { grep -q "serving evaluations" "$scratch/worker.$1"; }
for task in 1 2; do until_true 60 "array task $task serves" served "$task"; done
optimize() {
  "$bin/warpmind" --socket "$scratch/d.sock" --set "daemon.state_directory=$scratch/daemon" \
    --set "queue.nats=nats://127.0.0.1:$((port + 2))" "${shared[@]}" \
    optimize "$root/tasks/row_softmax_f16" --provider fixture --fixtures "$scratch/empty" \
    --proposer replay --replay "$fixtures.first.jsonl" --evaluations 10 --policy greedy --json \
    > "$scratch/result" && grep -q "\"host\":\"$host\"" "$scratch/result"
}
until_true 60 "an array task judges" optimize
expect "$scratch/result" '"outcome":"improved"'
scancel "$job"
gone() { grep -q "daemon stopped" "$scratch/worker.$1"; }
for task in 1 2; do until_true 30 "array task $task stops in order" gone "$task"; done
echo "slurm: job $job of two tasks judged on a real cluster: $(grep -ho 'judged=[0-9]*' "$scratch"/worker.[12] | tr '\n' ' ')"
