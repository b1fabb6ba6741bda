#!/usr/bin/env bash
# install_packages.sh [check]: installs what is missing to build and run warpmind, or to check it as well.
# The lists are packages/ID-VERSION.txt, by ID and VERSION_ID of /etc/os-release. Asks for root only when a package is
# missing. WARPMIND_OS_RELEASE and WARPMIND_PACKAGES_LIST_ONLY=1 (print the list, install nothing) are for the test.
set -euo pipefail
here=$(dirname "$0")
sections="[build]"
[ "${1:-build}" = check ] && sections="[build] [check]"

ID=unknown VERSION_ID=
os_release=${WARPMIND_OS_RELEASE:-/etc/os-release}
# shellcheck disable=SC1090
[ -r "$os_release" ] && . "$os_release"
list=$here/packages/$ID-$VERSION_ID.txt
[ -f "$list" ] || list=$here/packages/$ID.txt
if [ ! -f "$list" ]; then
  echo "No list of packages for $ID $VERSION_ID: install what $here/packages/debian-12.txt names, then build with" \
    "cmake --preset release && cmake --build --preset release" >&2
  exit 4
fi
if grep -q '^\[unsupported\]' "$list"; then
  sed '1,/^\[unsupported\]/d' "$list" >&2
  exit 4
fi

# packages: those of the chosen sections.
packages() {
  local line section=
  while read -r line; do
    case "$line" in
      '' | '#'*) ;;
      '['*) section=$line ;;
      *) [[ $sections == *"$section"* ]] && echo "$line" ;;
    esac
  done < "$list" || true
}
if [ -n "${WARPMIND_PACKAGES_LIST_ONLY:-}" ]; then
  packages
  exit 0
fi

if command -v dpkg-query > /dev/null; then
  is_installed() { dpkg-query -W -f='${Status}' "$1" 2> /dev/null | grep -q 'ok installed'; }
  install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
  refresh=(apt-get update -qq)
else
  is_installed() { rpm -q "$1" > /dev/null 2>&1; }
  install=(dnf install -y -q)
  refresh=(true)
fi
missing=()
while read -r package; do
  is_installed "$package" || missing+=("$package")
done < <(packages)
# npm brings the grammar, which is fetched once.
if ! command -v npm > /dev/null && [ ! -d "$here/../build/grammar/tree-sitter-0.25.1" ]; then
  missing+=(npm)
fi
if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    command -v sudo > /dev/null || {
      echo "Missing packages and no sudo. As root run: ${install[*]} ${missing[*]}" >&2
      exit 4
    }
  fi
  if ! "${as_root[@]}" "${refresh[@]}" || ! "${as_root[@]}" "${install[@]}" "${missing[@]}"; then
    echo "The packages could not be installed: is the network there? Install them and run make again: ${missing[*]}" >&2
    exit 4
  fi
fi
"$here/fetch_grammar.sh"
"$here/fetch_dashboard.sh"
BUILD=$(cd "$here/.." && pwd)/build
# shellcheck source=cmake/toolkit.sh
. "$here/toolkit.sh"
found=$(find_nvcc) || offer_pip_toolkit "${found^}"
