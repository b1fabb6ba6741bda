#!/usr/bin/env bash
# Packs the extension: package.sh FILE.vsix. Exit code 77, with the reason, where npm or its registry is missing.
set -euo pipefail
target=$(realpath "$1")
cd "$(dirname "$0")"
command -v npm > /dev/null || { echo "npm not found, which packs the VS Code extension" >&2; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r package.json package-lock.json .npmrc .vscodeignore tsconfig.json README.md LICENSE src "$scratch"
cd "$scratch"
npm ci --ignore-scripts --silent || {
  echo "npm could not bring the packages of the VS Code extension" >&2
  exit 77
}
npm rebuild esbuild --silent > /dev/null
npm run --silent package > log 2>&1 || { cat log >&2; exit 1; }
install -m 644 dist/warpmind.vsix "$target"
