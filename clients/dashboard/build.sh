#!/usr/bin/env bash
# Builds the page and packs it: build.sh PACK. Asks no network: packages are those of cmake/fetch_dashboard.sh.
# Where they or node are missing, the pack holds a notice.
set -euo pipefail
pack=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
key=$(sha256sum "$here/package-lock.json" | cut -c1-16)
packages=${WARPMIND_DASHBOARD_PACKAGES:-$here/../../build/dashboard/packages-$key}
if [ ! -d "$packages/node_modules" ] || ! command -v node > /dev/null; then
  echo "The dashboard is left out: run cmake/fetch_dashboard.sh, which needs npm, and build again."
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  cp "$here/absent.html" "$scratch/index.html"
  "$here/pack.sh" "$scratch" "$pack"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/src" "$here/index.html" "$here/vite.config.ts" "$here/tsconfig.json" "$here/package.json" "$work"
ln -s "$(cd "$packages" && pwd)/node_modules" "$work/node_modules"
cd "$work"
node node_modules/typescript/bin/tsc --noEmit
node node_modules/vite/bin/vite.js build --logLevel error
"$here/pack.sh" "$work/dist" "$pack"
