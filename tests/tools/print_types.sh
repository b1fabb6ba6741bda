#!/usr/bin/env bash
# Prints the clients' types anew, each file for the methods that its heading names: print_types.sh WARPMINDD
set -euo pipefail
daemon=$(realpath "${1:?usage: print_types.sh WARPMINDD}")
cd "$(dirname "$0")/../.."
for file in clients/dashboard/src/wire.ts clients/vscode/src/wire.ts clients/python/warpmind/wire_types.py; do
  case $file in *.ts) language=typescript ;; *) language=python ;; esac
  methods=$(awk 'NR > 1 && NF == 0 { exit } NR > 1 { $1 = ""; print }' "$file")
  # shellcheck disable=SC2086  # one word a method
  "$daemon" --print-types "$language" $methods > "$file.new"
  mv "$file.new" "$file"
done
