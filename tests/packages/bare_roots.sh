#!/usr/bin/env bash
# Makes the systems that packages are tried in: bare_roots.sh FOLDER. Each is made once, of Debian 12:
#   bare     debootstrap's minbase: no compiler, Boost, RocksDB, CUDA, Python or Node
#   compile  bare, with what the .deb asks for
#   python   bare, with Python, venv and pip
#   node     bare, with Node, and npm from its own registry (Debian's is 370 packages)
# Exit code 77, with the reason, where a root file system cannot be made or entered.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")
npm_version=10.9.2

skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "root file systems are made by root"
command -v debootstrap > /dev/null || skip "no debootstrap (apt-get install debootstrap)"
unshare --user true 2> /dev/null || skip "no user namespaces, which bubblewrap needs"
device=$(mktemp -u "$folder/device.XXXXXX")
{ mknod "$device" c 1 3 && true > "$device"; } 2> /dev/null && rm "$device" ||
  { rm -f "$device"; skip "debootstrap needs device files, and $folder can have none (a container, or mounted nodev)"; }

make_bare() {
  # Where this machine gets Debian from.
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' | head -1)
  debootstrap --variant=minbase bookworm "$folder/making-bare" "${mirror:-http://deb.debian.org/debian}"
  # An ordinary user; the toolkit's place.
  echo 'user:x:1000:1000::/home/user:/bin/sh' >> "$folder/making-bare/etc/passwd"
  echo 'user:x:1000:' >> "$folder/making-bare/etc/group"
  mkdir -p "$folder/making-bare/home/user" "$folder/making-bare/usr/local/cuda"
  chown 1000:1000 "$folder/making-bare/home/user"
}

# make_layer NAME PACKAGE…: bare with more packages.
make_layer() {
  local root=$folder/making-$1
  shift
  cp -a "$folder/bare" "$root"
  cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
  chroot "$root" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Options::=--force-unsafe-io "$@"
}

make_compile() { make_layer compile bubblewrap g++ ca-certificates; }
make_python() { make_layer python python3-venv python3-pip; }
make_node() {
  local modules=$folder/making-node/usr/local/lib/node_modules
  make_layer node nodejs
  mkdir -p "$modules"
  (cd "$modules" && npm pack --silent "npm@$npm_version" > /dev/null && tar -xzf npm-*.tgz && mv package npm && rm npm-*.tgz)
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/making-node/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$folder/making-node/usr/local/bin/npx"
}

# make NAME: unless it is there. A folder appears under its name when it is whole.
make() {
  [ ! -d "$folder/$1" ] || return 0
  rm -rf "$folder/making-$1"
  "make_$1" > "$folder/$1.log" 2>&1 &  # left of || it would go on after a failed command
  wait $! || { tail -n 20 "$folder/$1.log" >&2; return 1; }
  rm -rf "$folder/making-$1"/var/{cache/apt/archives,lib/apt/lists}/*
  mv "$folder/making-$1" "$folder/$1"
}

make bare
making=()
for layer in compile python node; do
  make $layer &
  making+=($!)
done
for job in "${making[@]}"; do wait "$job"; done
