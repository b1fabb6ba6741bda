#!/usr/bin/env bash
# Brings the packages that the dashboard is built of from the npm registry to build/dashboard, once for each lockfile.
# No script of theirs is run. Without npm or registry the daemon serves a notice in the place of the page.
set -euo pipefail
cd "$(dirname "$0")/.."
source=clients/dashboard
key=$(sha256sum "$source/package-lock.json" | cut -c1-16)
target=build/dashboard/packages-$key
[ -d "$target/node_modules" ] && exit 0
command -v npm > /dev/null || { echo "npm not found: the dashboard is left out" >&2; exit 0; }
mkdir -p build/dashboard
scratch=$(mktemp -d build/dashboard/fetch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$scratch"
if ! npm ci --prefix "$scratch" --ignore-scripts --silent; then
  echo "npm could not bring the packages of the dashboard: it is left out" >&2
  exit 0
fi
rm -rf "$target"
mv "$scratch" "$target"
trap - EXIT
