#!/usr/bin/env bash
# Unpacks Debian's nats-server into build/nats, once, for the tests of several hosts. It is not installed:
# the package would start a server that listens on every address of the machine.
# Without it those tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
target=build/nats
command -v nats-server > /dev/null || [ -x /usr/sbin/nats-server ] || [ -x "$target/usr/sbin/nats-server" ] && exit 0
command -v apt-get > /dev/null && command -v dpkg > /dev/null || exit 0
mkdir -p build
scratch=$(mktemp -d build/nats.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
if ! (cd "$scratch" && apt-get download -qq nats-server > /dev/null 2>&1 && dpkg -x nats-server_*.deb .); then
  echo "nats-server could not be fetched: tests of several hosts are skipped" >&2
  exit 0
fi
chmod 755 "$scratch"
rm -rf "$target"
mv "$scratch" "$target"
trap - EXIT
