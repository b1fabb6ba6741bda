#!/usr/bin/env bash
# Installs one package in a bare Debian 12 and uses it as its reader would, without network, as an ordinary user:
#   check.sh tarball|deb|wheel|npm [DIST [ROOTS]]
# First without compiler or sandbox: --version, and doctor, which has to say what is missing. Then with g++,
# bubblewrap and a toolkit: one simulated episode, which has to find a better kernel. For the tarball a program task, too.
# Exit code 77, with the reason, where bare_roots.sh cannot make such a system, or no toolkit is found.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kind=${1:-}
dist=$(realpath -m "${2:-dist}")
roots=$(realpath -m "${3:-build/bare-root}")
version=$(sed -nE 's/^project\(warpmind VERSION ([0-9.]+).*/\1/p' "$here/../../CMakeLists.txt")
case $kind in
  tarball) package=warpmind-$version-linux-x86_64.tar.zst ;;
  deb) package=warpmind_${version}_amd64.deb ;;
  wheel) package=warpmind-$version-py3-none-manylinux_2_36_x86_64.whl ;;
  npm) package=warpmind-$version.tgz ;;
  *) echo "usage: check.sh tarball|deb|wheel|npm [DIST [ROOTS]]" >&2; exit 2 ;;
esac
[ -f "$dist/$package" ] || { echo "$dist/$package is missing: run make package" >&2; exit 2; }
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2> /dev/null) || { echo "skipped: no nvcc"; exit 77; }
# An nvcc on PATH may be a script or a link that leads elsewhere: it is asked where its toolkit is.
toolkit=$("$nvcc" --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
toolkit=$(realpath -e "$toolkit") || { echo "$nvcc --dryrun does not say where its toolkit is" >&2; exit 1; }
"$here/bare_roots.sh" "$roots" || exit $?
scratch=$(mktemp -d "$roots/$kind.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
home=$scratch/home
install -d -o 1000 -g 1000 "$home"

fail() { echo "$kind: $1"; exit 1; }

# copy ROOT: of its own, for what is installed below /usr; prints its path.
copy() {
  cp -a "$roots/$1" "$scratch/$1"
  echo "$scratch/$1"
}

# enter ROOT COMMAND…: there, as the user, in a PID namespace whose end takes the daemon with it.
enter() {
  local root=$1 binds=()
  shift
  [ ! -e "$root/usr/bin/g++" ] || binds=(--ro-bind "$toolkit" /usr/local/cuda)
  unshare --pid --fork --mount-proc --kill-child bwrap --bind "$root" / --dev /dev --bind /proc /proc \
    --perms 1777 --tmpfs /tmp --tmpfs /run --unshare-net --cap-add ALL --clearenv \
    --bind "$home" /home/user --ro-bind "$dist" /dist "${binds[@]}" --chdir /home/user \
    --setenv HOME /home/user --setenv PATH "/home/user/bin:/usr/local/bin:/usr/bin:/bin" \
    setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

# found NAME STATE TEXT: doctor's finding of that name, as it is in $scratch/doctor.
found() {
  python3 - "$scratch/doctor" "$@" <<'PYTHON' || fail "doctor does not say of '$1': $2, $3"
import json, sys
path, name, state, text = sys.argv[1:]
findings = {f["name"]: f for f in json.load(open(path))["findings"]}
print(name, findings.get(name))
sys.exit(findings[name]["state"] != state or text not in findings[name]["detail"] + findings[name]["remedy"])
PYTHON
}

# looks_right ROOT PROGRAM: where there is no compiler.
looks_right() {
  local said code=0
  said=$(enter "$1" "$2" --version)
  [[ $said == *"$version"* ]] || fail "--version says '$said', want $version"
  enter "$1" "$2" --json doctor > "$scratch/doctor" || code=$?
  [ $code -eq 4 ] || fail "doctor ends with $code, want 4, as nvcc is missing"
  found nvcc missing "nvcc"
  found "host compiler" missing "apt-get install g++"
  found bubblewrap missing "apt-get install bubblewrap"
  found warpmind-worker ok "$(dirname "$2")/warpmind-worker"
  found warpmind-judge ok "warpmind-judge"
  found simulator ok "lib/warpmind/simulator"
}

# optimises ROOT PROGRAM SHARE
optimises() {
  enter "$1" "$2" --json doctor > "$scratch/doctor" || fail "doctor does not end with 0: $(cat "$scratch/doctor")"
  found "sandboxed trial" ok ""
  found GPU missing "no CUDA device"  # which is what the toolkit's runtime says: the worker found it
  enter "$1" "$2" --json optimize "$3/warpmind/tasks/row_softmax_f16" --provider sim --evaluations 1 \
    > "$scratch/episode" || fail "optimize does not end with 0"
  python3 - "$scratch/episode" <<'PYTHON' || fail "no better kernel: $(cut -c1-400 "$scratch/episode")"
import json, sys
episode = json.load(open(sys.argv[1]))["job"]["episode"]
gain = episode["best_against_baseline"]["ratio"]
print(episode["outcome"], gain)
sys.exit(episode["outcome"] != "improved" or gain < 1.1)
PYTHON
}

# complete SHARE: what every package brings besides its programs.
complete() {
  local file
  for file in doc/warpmind/LICENSE doc/warpmind/docs/install.md doc/warpmind/licenses/librocksdb7.8 \
    warpmind/warpmind.vsix warpmind/tasks/column_sum/task.toml bash-completion/completions/warpmind \
    zsh/site-functions/_warpmind fish/vendor_completions.d/warpmind.fish man/man1/warpmind.1; do
    [ -s "$1/$file" ] || fail "share/$file is missing"
  done
  # What is loaded into programs of users brings no library that they may have in another version.
  ! find "$1/../lib/warpmind" -name 'libwarpmind_*' -o -name libcudart.so.13 | xargs -d '\n' objdump -p |
    grep -E 'NEEDED +lib(crypto|fmt|spdlog|curl|z)\.' || fail "libraries for users' programs need these"
  ! find "$1/.." -name 'libcudart.so*' ! -path '*/simulator/*' | grep . || fail "NVIDIA's runtime is in the package"
}

check_tarball() {
  # Anywhere, a blank in the path included.
  local name=${package%.tar.zst}
  mkdir "$home/my programs"
  tar --zstd -xf "$dist/$package" -C "$home/my programs"
  complete "$home/my programs/$name/share"
  looks_right "$roots/bare" "/home/user/my programs/$name/bin/warpmind"
  optimises "$roots/compile" "/home/user/my programs/$name/bin/warpmind" "/home/user/my programs/$name/share"
  # A program of the user in the sandbox, with the simulator's runtime and the libraries that it needs.
  cp -r "$here/program" "$home/program"
  chown -R 1000:1000 "$home/program"
  enter "$roots/compile" "/home/user/my programs/$name/bin/warpmind" task check program --provider sim ||
    fail "a program task cannot be checked"
}

check_deb() {
  local bare full
  bare=$(copy bare)
  cp "$dist/$package" "$bare/tmp"
  chroot "$bare" dpkg --force-depends -i "/tmp/$package" > /dev/null 2>&1
  complete "$bare/usr/share"
  looks_right "$bare" /usr/bin/warpmind
  full=$(copy compile)
  cp "$dist/$package" "$full/tmp"
  chroot "$full" apt-get install -y -qq "/tmp/$package" > /dev/null 2>&1 ||
    fail "it cannot be installed where all that it depends on is"
  optimises "$full" /usr/bin/warpmind /usr/share
  chroot "$full" apt-get purge -y -qq warpmind > /dev/null 2>&1
  ! find "$full/usr" -name '*warpmind*' | grep . || fail "removing it left these files"
}

check_wheel() {
  enter "$roots/python" python3 -m venv /home/user/venv
  enter "$roots/python" venv/bin/pip install --quiet --no-index "/dist/$package"
  complete "$home/venv/share"
  looks_right "$roots/python" /home/user/venv/bin/warpmind
  cp "$here/use_client.py" "$home"
  enter "$roots/python" venv/bin/python use_client.py "$version" || fail "client or dashboard do not work"
  optimises "$roots/compile" /home/user/venv/bin/warpmind /home/user/venv/share
  enter "$roots/python" venv/bin/pip uninstall --quiet -y warpmind
  ! find "$home/venv" -name '*warpmind*' -type f | grep . || fail "removing it left these files"
}

check_npm() {
  local tree=/home/user/node_modules/warpmind/tree answer code=0
  enter "$roots/node" npm install --silent --offline "/dist/$package"
  complete "$home/node_modules/warpmind/tree/share"
  looks_right "$roots/node" "$tree/bin/warpmind"
  [[ $(enter "$roots/node" npx --no-install warpmind --version) == *"$version"* ]] || fail "npx warpmind --version"
  enter "$roots/node" npx --no-install warpmind optimize /nowhere 2> "$scratch/said" || code=$?
  [ $code -eq 2 ] || fail "npx hands on exit code $code, want 2"
  answer=$(enter "$roots/node" npx --no-install warpmind mcp <<< '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}')
  [[ $answer == *'"serverInfo"'*"$version"* ]] || fail "mcp answers '$answer'"
  # A signal to the launcher reaches the program: cat sees the end of its output.
  enter "$roots/node" timeout 60 sh -c 'mkfifo in out
    node node_modules/warpmind/warpmind.js mcp < in > out & exec 3> in 4< out
    echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" >&3
    read answer <&4 && kill -TERM $! && cat <&4 && wait $!' || code=$?
  [ $code -eq 143 ] || fail "after SIGTERM the launcher ends with $code, want 143"
  optimises "$roots/compile" "$tree/bin/warpmind" "$tree/share"
}

"check_$kind"
echo "$kind: installed, used and found whole"
