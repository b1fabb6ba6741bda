#!/usr/bin/env bash
# The tree that every package holds, from a configured build folder: stage.sh BUILD_DIR TREE
# bin/, lib/warpmind/ (our libraries and the third-party ones that they need) and share/.
set -euo pipefail
build=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
tree=$(realpath "$2")
source=$(realpath "$(dirname "$0")/../..")
libraries=$tree/lib/warpmind
data=$tree/share/warpmind
papers=$tree/share/doc/warpmind

# Comes from the system: glibc; libstdc++ and libgcc_s, because candidates and references that a newer g++
# of the system built are loaded into our programs (manylinux leaves both out, too); NVIDIA's runtime, which
# is found in the toolkit (docs/decisions/0031).
from_system='^(ld-linux-x86-64|lib(c|m|pthread|dl|rt|resolv|stdc\+\+|gcc_s|cudart))\.so'
# Linked into our programs or compiled into them: libraries whose files are not in the tree.
static_packages=(libboost1.81-dev libcli11-dev libexpected-dev libfaiss-dev nlohmann-json3-dev prometheus-cpp-dev)

bundle_libraries() {
  local name path
  # ldd names what the whole chain needs. Each is put under its SONAME: wheels and npm know no links.
  find "$tree/bin" "$libraries" -type f -exec ldd {} + 2> /dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
    while read -r name path; do
      [[ $name =~ $from_system || $path == "$tree"/* ]] && continue
      path=$(realpath "$path")
      install -m 644 "$path" "$libraries/$name"
      # dpkg knows some files by their path before /lib became a link.
      { dpkg-query -S "$path" 2> /dev/null || dpkg-query -S "${path#/usr}"; } | cut -d: -f1 >> "$tree/packages"
    done
}

# Of all that is bundled or linked in: the texts that their licences ask for.
collect_licences() {
  local package page licences=$papers/licenses
  mkdir -p "$licences"
  printf '%s\n' "${static_packages[@]}" | sort -u - "$tree/packages" |
    while read -r package; do
      install -m 644 "/usr/share/doc/$package/copyright" "$licences/$package"
    done
  rm "$tree/packages"
  for package in "$source"/build/grammar/tree-sitter*; do
    install -m 644 "$package/LICENSE" "$licences/$(basename "$package")"
  done
  # Bundled by vite into the page of the dashboard.
  page=$source/build/dashboard/packages-$(sha256sum "$source/clients/dashboard/package-lock.json" | cut -c1-16)
  if [ ! -d "$page" ]; then
    echo "left out of the packages: the dashboard; run cmake/fetch_dashboard.sh, which needs npm, and build again" >&2
    return
  fi
  npm ls --omit=dev --all --parseable --prefix "$page" 2> /dev/null | tail -n +2 |
    while read -r package; do
      install -m 644 "$(find "$package" -maxdepth 1 -iname 'license*' | head -1)" \
        "$licences/npm-$(tr / - <<< "${package#*/node_modules/}")"
    done
}

# Nothing in the tree may need a newer system than the packages promise.
check_symbols() {
  local newest
  newest=$(find "$tree/bin" "$libraries" -type f -exec objdump -T {} + 2> /dev/null |
    grep -oE '\bGLIBC_2\.[0-9]+' | sort -Vu | tail -1)
  [ "$(printf '%s\nGLIBC_2.36\n' "$newest" | sort -V | tail -1)" = GLIBC_2.36 ] || {
    echo "the programs need $newest, but packages promise glibc 2.36: make them on Debian 12" >&2
    exit 4
  }
}

cmake --install "$build" --prefix "$tree" --component Unspecified --strip > /dev/null
bundle_libraries
check_symbols
mkdir -p "$data" "$papers"
cp -r "$source/tasks" "$data/tasks"
rm "$data/tasks/demo.sh"
"$source/clients/vscode/package.sh" "$data/warpmind.vsix" ||
  echo "left out of the packages: the VS Code extension" >&2
mkdir -p "$papers/docs/results"
cp "$source"/docs/*.md "$papers/docs"
cp "$source"/docs/results/*.md "$papers/docs/results"
cp "$source/LICENSE" "$source/README.md" "$papers"
collect_licences
chmod -R u=rwX,go=rX "$tree"  # whatever umask the checkout was made with
