#!/usr/bin/env bash
# Brings the CUDA grammar and its parser runtime from the npm registry to build/grammar, once.
# Both are checked against the digests below; nothing of theirs is run.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(
  "tree-sitter-cuda 0.21.1 V8zI22cfiQyt0Q3v7KPkM4KVMPXqIgHrcbYCYvfFByLcM7PM6+mpzhRWGvUP4QgmwXkWHdcJoJcJC+ef6V9Z6A=="
  "tree-sitter 0.25.1 mrcEdkYtHfrK1A6fs3O6FxkBo0Qig5XUXqHhxUOQu0bmPo00QF4XaSx4edpazdHwxnSCjlGKGgIqWdaN4dvTLA=="
)
target=build/grammar
mkdir -p "$target"
for package in "${packages[@]}"; do
  read -r name version digest <<< "$package"
  [ -f "$target/$name-$version/package.json" ] && continue
  command -v npm > /dev/null || {
    echo "npm not found, which brings the CUDA grammar. Install it: apt-get install npm" >&2
    exit 4
  }
  scratch=$(mktemp -d "$target/fetch.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  archive="$scratch/$name-$version.tgz"
  npm pack --silent --pack-destination "$scratch" "$name@$version" > /dev/null || {
    echo "npm could not bring $name@$version; is the registry reachable?" >&2
    exit 4
  }
  if [ "$(openssl dgst -sha512 -binary "$archive" | base64 -w0)" != "$digest" ]; then
    echo "$name@$version is not the package that was checked in: its SHA-512 differs" >&2
    exit 4
  fi
  mkdir "$scratch/unpacked"
  tar -xzf "$archive" -C "$scratch/unpacked" --exclude '*/prebuilds' --exclude '*.wasm'
  mv "$scratch/unpacked/package" "$target/$name-$version"
  rm -rf "$scratch"
done
