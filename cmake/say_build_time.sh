#!/usr/bin/env bash
# Before a first build: how long it takes here. The CPU time is that of docs/results/2026-11-26-front-door.md.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/release/bin/warpmindd ] && exit 0
cpu_minutes=11
cores=$(nproc)
echo "The first build takes about $(((cpu_minutes + cores - 1) / cores + 1)) minutes on the $cores cores of this machine; the demo itself takes one more."
