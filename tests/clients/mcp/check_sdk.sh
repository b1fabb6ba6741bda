#!/usr/bin/env bash
# The official SDKs, version 1 and 2, against the daemon, over standard input and over HTTP, in the eras that each speaks:
# check_sdk.sh BIN_DIRECTORY. Exit 77: they cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
v1=1.32.2 v2=2.4.0
. "$here/conformance/stage.sh" "$1" "@modelcontextprotocol/sdk@$v1" "@modelcontextprotocol/client@$v2"
cp -r "$here/../../../tasks/vector_add" "$home/task"
spoke=
for way in stdio http; do
  for version_and_era in "1 legacy" "2 legacy" "2 modern"; do
    read -r version era <<< "$version_and_era"
    timeout 400 node "$here/sdk_client.mjs" "$home/node_modules" "$version" $way "$era" "$bin/warpmind" "$home/task" \
      "$url" "$token" > "$home/client.log" 2>&1 || { echo "version $version, $way, $era:"; cat "$home/client.log"; exit 1; }
    spoke+="$version/$way/$era: $(tail -1 "$home/client.log"); "
  done
done
echo "versions $v1 and $v2, nine tools and a job each; $spoke"
