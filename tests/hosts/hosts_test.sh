#!/usr/bin/env bash
# Two daemons and three workers, each in a network namespace of its own, on one NATS server: they share
# evaluations and insights while every link is cut in turn and the server is killed. Nothing is lost,
# nothing is applied twice, all bases agree in the end.
# hosts_test.sh BIN_DIRECTORY
# HOSTS_TEST_LONG=1: on the simulator instead of recordings (minutes). HOSTS_TEST_CUT_S=15: how long a
# link stays cut, seconds (1).
set -euo pipefail
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
long=${HOSTS_TEST_LONG:-}
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
command -v ip > /dev/null || skip "no ip: apt-get install iproute2"
command -v nats-server > /dev/null || PATH="$PATH:/usr/sbin"
command -v nats-server > /dev/null || skip "no nats-server: apt-get install nats-server"
"$bin/warpmindd" --doctor --set queue.nats=nats://127.0.0.1:1 2>&1 | grep -q "no NATS client" &&
  skip "this build has no NATS client"
if [ -n "$long" ]; then command -v nvcc > /dev/null || skip "no nvcc"; fi

scratch=$(mktemp -d)
hub="wm$$hub"
nodes="d1 d2 w1 w2 w3"
daemons="d1 d2"
cleanup() {
  for file in "$scratch"/*.pid; do [ -e "$file" ] && kill -9 "$(cat "$file")" 2> /dev/null || true; done
  for node in $nodes; do ip netns del "wm$$$node" 2> /dev/null || true; done
  ip netns del "$hub" 2> /dev/null || true
  rm -rf "$scratch" || true
}
trap cleanup EXIT
ip netns add "$hub" 2> "$scratch/why" || skip "no network namespaces here: $(cat "$scratch/why")"
ip -n "$hub" link set lo up
ip -n "$hub" link add br0 type bridge 2> "$scratch/why" || skip "no bridges here: $(cat "$scratch/why")"
ip -n "$hub" addr add 10.77.0.1/24 dev br0
ip -n "$hub" link set br0 up
number=10
for node in $nodes; do
  ip netns add "wm$$$node"
  ip link add "v$node" netns "$hub" type veth peer name eth0 netns "wm$$$node"
  ip -n "$hub" link set "v$node" master br0 up
  ip -n "wm$$$node" addr add "10.77.0.$number/24" dev eth0
  ip -n "wm$$$node" link set eth0 up
  ip -n "wm$$$node" link set lo up
  number=$((number + 1))
done

# spawn NODE WORDS…: in its namespace, under its own host name, with its own folder.
spawn() {
  local node=$1
  shift
  ip netns exec "wm$$$node" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$node" "$@" \
    >> "$scratch/$node.log" 2>&1 &
  echo $! > "$scratch/$node.pid"
  disown $!
}
serve_nats() {
  ip netns exec "$hub" nats-server -a 10.77.0.1 -p 4222 -js -sd "$scratch/jetstream" \
    --auth "$(cat "$scratch/token")" >> "$scratch/nats.log" 2>&1 &
  echo $! > "$scratch/nats.pid"
  disown $!
}
export WARPMIND_DAEMON_ALLOW_ROOT=true XDG_CACHE_HOME="$scratch/cache" CUDA_VISIBLE_DEVICES=
(umask 077 && head -c 18 /dev/urandom | base64 | tr -d '/+\n' > "$scratch/token")
mkdir "$scratch/empty"
common=(--set queue.nats=nats://10.77.0.1:4222 --set "queue.nats_token_file=$scratch/token"
  --set queue.lease_s=2)
if [ -n "$long" ]; then served=sim; else served=fixture; fi
fixtures="$root/tests/data/fixtures/h200/row_softmax_f16"
start_daemon() {
  spawn "$1" "$bin/warpmindd" --set "daemon.state_directory=$scratch/$1" \
    --set "daemon.socket=$scratch/$1.sock" --set knowledge.withhold=0 "${common[@]}"
}
start_worker() {
  spawn "$1" "$bin/warpmindd" --serve-evaluations --set "queue.serve=$served" \
    --set "lab.fixture_directory=$fixtures" "${common[@]}"
}
on() {  # on DAEMON WORDS…: a command of the client
  local daemon=$1
  shift
  "$bin/warpmind" --socket "$scratch/$daemon.sock" --no-start "$@"
}
# until_true SECONDS WHAT COMMAND…
until_true() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > "$scratch/tried" 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "not within time: $what"
      cat "$scratch/tried"
      tail -n 20 "$scratch"/*.log
      exit 1
    fi
  done
}

serve_nats
for node in $daemons; do start_daemon "$node"; done
for node in w1 w2 w3; do start_worker "$node"; done
for node in $daemons; do until_true 30 "daemon $node answers" on "$node" daemon status; done

# A recording answers only what was asked of it, and the daemons' own folder of recordings is empty:
# whatever is judged was judged by a worker.
if [ -n "$long" ]; then
  optimize=(optimize "$root/tasks/row_sum" --provider sim --evaluations 3 --policy greedy --seed 7)
  verdict='"outcome":"improved"'
else
  optimize=(optimize "$root/tasks/row_softmax_f16" --provider fixture --fixtures "$scratch/empty"
    --proposer replay --replay "$fixtures.first.jsonl" --evaluations 10 --policy greedy)
  verdict='"outcome":"improved"'
fi
served_elsewhere() { on "$1" "${optimize[@]}" --json > "$scratch/first.$1" && grep -q '"host":"w' "$scratch/first.$1"; }
for node in $daemons; do until_true 60 "a worker judges for $node" served_elsewhere "$node"; done

work() {  # work DAEMON: jobs one after the other while links are cut; each result is kept
  local i=0
  until [ -e "$scratch/enough" ]; do
    i=$((i + 1))
    on "$1" "${optimize[@]}" --json > "$scratch/job.$1.$i" 2> "$scratch/err.$1.$i" || true
  done
}
work d1 & first=$!
work d2 & second=$!

cut_s=${HOSTS_TEST_CUT_S:-1}
claims=0
claim() {  # something learned while somebody cannot hear it
  claims=$((claims + 1))
  on "$1" kb add --claim "learned on $1 at cut $claims" --technique "block_size" \
    --parameters "block=$((32 * claims))x1x1" --bottleneck low_occupancy > /dev/null
}
for node in $nodes; do
  ip -n "$hub" link set "v$node" down
  for daemon in $daemons; do claim "$daemon"; done
  timeout "$cut_s" tail -f /dev/null || true
  ip -n "$hub" link set "v$node" up
  timeout "$cut_s" tail -f /dev/null || true
done
kill -9 "$(cat "$scratch/nats.pid")"
for daemon in $daemons; do claim "$daemon"; done
serve_nats
kill -9 "$(cat "$scratch/w2.pid")"
start_worker w2

timeout "$cut_s" tail -f /dev/null || true
touch "$scratch/enough"
wait "$first" "$second"
kill -9 "$(cat "$scratch/d1.pid")"
start_daemon d1
until_true 30 "daemon d1 answers again" on d1 daemon status

# Every job ended as it does without trouble, judged by workers.
for job in "$scratch"/job.*; do
  grep -q "$verdict" "$job" && grep -q '"host":"w' "$job" ||
    { echo "$job:"; head -c 2000 "$job"; cat "${job/job./err.}"; exit 1; }
done
jobs=$(ls "$scratch"/job.* | wc -l)
hosts=$(cat "$scratch"/job.* | grep -o '"host":"w[0-9]"' | sort | uniq -c | tr -s ' \n' ' ')
# All bases hold the same claims.
claims_of() {
  rm -f "$scratch/pack.$1"
  on "$1" kb export "$scratch/pack.$1" --all > /dev/null
  grep '"type":"insight"' "$scratch/pack.$1" | grep -o '"id":"i-[0-9a-f]*"' | sort -u > "$scratch/claims.$1"
}
agree() { claims_of d1 && claims_of d2 && cmp "$scratch/claims.d1" "$scratch/claims.d2"; }
until_true 60 "both bases hold the same claims" agree
for daemon in $daemons; do
  for ((i = 1; i <= claims; i++)); do
    grep -q "learned on d[12] at cut $i\"" "$scratch/pack.$daemon" || { echo "$daemon misses claim $i"; exit 1; }
  done
  on "$daemon" kb verify > "$scratch/verified" || { cat "$scratch/verified"; exit 1; }
done
stopped() { grep -q "daemon stopped" "$scratch/$1.log"; }
for node in w1 w2 w3; do
  kill -TERM "$(cat "$scratch/$node.pid")"
  until_true 20 "worker $node stops when it is told" stopped "$node"
done
echo "hosts hold: $jobs jobs, $((2 * (claims / 2))) claims told while somebody was cut off," \
  "$(wc -l < "$scratch/claims.d1") insights agreed; measurements by$hosts"
grep -h "daemon stopped" "$scratch"/w?.log | grep -o "judged=.*"
