#!/usr/bin/env bash
# Packs a folder of files for the daemon: pack.sh FOLDER PACK. The form is that of daemon/http/page_files.h; the same files
# give the same bytes.
set -euo pipefail
export LC_ALL=C
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: > "$scratch/bodies"
find . -type f | sort > "$scratch/names"
while read -r name; do
  case "$name" in
    *.html) type='text/html; charset=utf-8' ;;
    *.js) type='text/javascript; charset=utf-8' ;;
    *.css) type='text/css; charset=utf-8' ;;
    *.svg) type='image/svg+xml' ;;
    *) echo "what is $name?" >&2; exit 1 ;;
  esac
  gzip -9nc "$name" > "$scratch/body"
  path=${name#.}
  [ "$path" = /index.html ] && path=/
  printf '%s\t%s\t%s\t%s\n' "$path" "$type" "$(stat -c %s "$scratch/body")" "$(sha256sum "$name" | cut -c1-32)"
  cat "$scratch/body" >> "$scratch/bodies"
done < "$scratch/names" > "$scratch/pack"
echo >> "$scratch/pack"
cat "$scratch/bodies" >> "$scratch/pack"
mkdir -p "$(dirname "$2")"
mv "$scratch/pack" "$2"
