#!/usr/bin/env bash
# make_packages.sh [BUILD_DIR [DIST_DIR]]: tarball, .deb, Python wheel and npm package of one tree, from a folder
# that was configured with preset release. docs/decisions/0031 says what is in them and why.
set -euo pipefail
umask 022
cd "$(dirname "$0")/../.."
here=cmake/packaging
build=${1:-build/release}
dist=${2:-dist}
version=$(sed -nE 's/^project\(warpmind VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -f "$build/CMakeCache.txt" ] || {
  echo "$build is not configured: run cmake --preset release first, or make package, which does it" >&2
  exit 2
}
# One time for every file, so that the same commit gives the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH
archive=(tar --sort=name --owner=0 --group=0 --numeric-owner "--mtime=@$SOURCE_DATE_EPOCH")
tree=$build/packages/tree

for file in clients/python/warpmind/__init__.py clients/vscode/package.json; do
  grep -q "version.*\"$version\"" "$file" || {
    echo "$file does not have version $version of CMakeLists.txt; make them the same" >&2
    exit 2
  }
done
for tool in zstd dpkg-deb python3 npm; do
  command -v $tool > /dev/null || { echo "$tool not found, which packages are made with" >&2; exit 4; }
done

make_tarball() {
  local name=warpmind-$version-linux-x86_64
  "${archive[@]}" -C "$tree" --transform "s|^\.|$name|" -cf - . | zstd -q -10 -o "$dist/$name.tar.zst"
}

make_deb() {
  local root=$build/packages/deb unit
  rm -rf "$root"
  mkdir -p "$root/DEBIAN" "$root/usr/lib/systemd/user"
  cp -r "$tree"/* "$root/usr"
  cp LICENSE "$root/usr/share/doc/warpmind/copyright"
  for unit in config/systemd/*; do
    sed 's|@BINARIES@|/usr/bin|' "$unit" > "$root/usr/lib/systemd/user/$(basename "$unit")"
  done
  cat > "$root/DEBIAN/control" << CONTROL
Package: warpmind
Version: $version
Architecture: amd64
Maintainer: warpmind maintainers <maintainers@warpmind.invalid>
Section: devel
Priority: optional
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1, bubblewrap, g++, ca-certificates
Suggests: cuda-toolkit-13-0 | cuda-toolkit
Description: makes CUDA kernels faster and remembers what worked
 A daemon and a command line that rewrite CUDA kernels, check every result and
 time it on a GPU, or predict it in a simulator where there is none. It needs
 nvcc of a CUDA toolkit, from NVIDIA or another package.
CONTROL
  dpkg-deb --root-owner-group -Zzstd -z10 --build "$root" "$dist/warpmind_${version}_amd64.deb" > /dev/null
  rm -rf "$root"
}

make_wheel() { python3 clients/python/build_backend.py "$tree" "$dist" > /dev/null; }

make_npm() {
  local root=$build/packages/npm
  rm -rf "$root"
  mkdir -p "$root"
  cp -r "$tree" "$root/tree"
  cp "$here/npm/warpmind.js" "$here/npm/README.md" LICENSE "$root"
  sed "s/@VERSION@/$version/" "$here/npm/package.json" > "$root/package.json"
  "${archive[@]}" -C "$root" --transform 's|^\.|package|' -cf - . | gzip -6n > "$dist/warpmind-$version.tgz"
  rm -rf "$root"
}

mkdir -p "$dist"
rm -f "$dist"/warpmind[-_]*
cmake --build "$build" --target warpmind warpmindd warpmind-worker warpmind-judge warpmind_simulated_cudart \
  warpmind_record warpmind_inject
"$here/stage.sh" "$build" "$tree"
making=()
for package in tarball deb wheel npm; do
  make_$package &
  making+=($!)
done
for job in "${making[@]}"; do wait "$job"; done
(cd "$dist" && du -h --apparent-size warpmind[-_]*)
