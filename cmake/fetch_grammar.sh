#!/usr/bin/env bash
# Brings the CUDA grammar and its parser runtime from the npm registry to build/grammar, once.
# Both are checked against the digests below; nothing of theirs is run.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(
  "tree-sitter-cuda 0.21.1 57ccc8db671f890cadd10defeca3e433829530f5ea2201eb71b60262f7c50722dc33b3ccebe9a9ce14561af50fe10826c179161dd709a097090be79fe95f59e8"
  "tree-sitter 0.25.1 9ab70476462d1dfacad40e9fb373ba171901a344228395d45ea1e1c54390bb46e63e8d34405e17692c7879da5acdd1f0c674828e518a1a022a59d68de1dbd32c"
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
  if ! echo "$digest  $archive" | sha512sum --check --quiet - > /dev/null 2>&1; then
    echo "$name@$version is not the package that was checked in: its SHA-512 differs" >&2
    exit 4
  fi
  mkdir "$scratch/unpacked"
  tar -xzf "$archive" -C "$scratch/unpacked" --exclude '*/prebuilds' --exclude '*.wasm'
  mv "$scratch/unpacked/package" "$target/$name-$version"
  rm -rf "$scratch"
done
