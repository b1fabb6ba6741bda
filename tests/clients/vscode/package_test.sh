#!/usr/bin/env bash
# The VS Code extension: types, bundle, package; and that the lockfile names no host.
# package_test.sh; exit code 77 without npm.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$root/clients/vscode"
if grep -q '"resolved"' package-lock.json; then
  echo "package-lock.json names where packages come from; write it with the .npmrc beside it"
  exit 1
fi
package=$scratch/warpmind.vsix
./package.sh "$package" || exit $?
names=$(python3 -m zipfile -l "$package" | awk 'NR > 1 { print $1 }' | sort | tr '\n' ' ')
want='[Content_Types].xml extension.vsixmanifest extension/LICENSE.txt extension/dist/extension.js extension/package.json extension/readme.md '
[ "$names" = "$want" ] || { echo "the package holds $names, want $want"; exit 1; }
echo "the extension has $(stat -c %s "$package") bytes"
