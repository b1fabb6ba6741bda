#!/usr/bin/env bash
# Holds every #include to the level table of docs/architecture.md: a file may include its own module
# and modules of a lower level. Prints each offence; exit 1 if there is one.
# With --self-test: proves on a planted tree that an upward include is found.
set -euo pipefail

level_of() {
  case "$1" in
    base) echo 0 ;;
    syntax) echo 1 ;;
    config) echo 2 ;;
    daemon/protocol) echo 3 ;;
    knowledge_base | profilers) echo 4 ;;
    agents) echo 5 ;;
    daemon) echo 6 ;;
    clients) echo 3 ;;  # may use what lies at or below daemon/protocol, checked by name below
    *) echo unknown ;;
  esac
}

module_of() {
  case "$1" in
    daemon/protocol/*) echo daemon/protocol ;;
    *) echo "${1%%/*}" ;;
  esac
}

allowed() {  # from-module to-module
  [ "$1" = "$2" ] && return 0
  if [ "$1" = clients ]; then
    case "$2" in base | syntax | config | daemon/protocol) return 0 ;; *) return 1 ;; esac
  fi
  [ "$2" != clients ] && [ "$(level_of "$2")" -lt "$(level_of "$1")" ]
}

check_tree() {
  local offences=0 file target from to
  while IFS=: read -r file target; do
    from=$(module_of "$file")
    to=$(module_of "$target")
    [ "$(level_of "$to")" = unknown ] && continue  # a file beside its own, or a foreign header
    if ! allowed "$from" "$to"; then
      echo "$file includes $target: $from (level $(level_of "$from")) must not include $to"
      offences=$((offences + 1))
    fi
  done < <(grep -rHoE '^#include "[^"]+"' --include='*.h' --include='*.cpp' \
             base syntax config daemon knowledge_base profilers agents clients 2>/dev/null |
           sed -E 's/:#include "([^"]+)"$/:\1/')
  # The g++ 12.2 rule: no lambda inside a co_await expression (docs/decisions/0003).
  if grep -rnE 'co_await[^;]*[(, ]\[[^]]*\][ ]*[({]' --include='*.h' --include='*.cpp' daemon; then
    echo "a lambda inside a co_await expression is destroyed twice by g++ 12: name it first"
    offences=$((offences + 1))
  fi
  [ "$offences" -eq 0 ]
}

if [ "${1:-}" = --self-test ]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$scratch"/{base,syntax,config,daemon/protocol,knowledge_base,profilers,agents,clients}
  cd "$scratch"
  echo '#include "base/result.h"' > agents/fine.h
  check_tree >/dev/null || { echo "self-test: a downward include was refused"; exit 1; }
  echo '#include "profilers/kernel_lab.h"' > knowledge_base/sibling.h
  if check_tree >/dev/null; then echo "self-test: a sibling include was not found"; exit 1; fi
  rm knowledge_base/sibling.h
  echo '#include "syntax/lexer.h"' > config/fine.h
  check_tree >/dev/null || { echo "self-test: an include of syntax/ was refused"; exit 1; }
  echo '#include "config/settings.h"' > syntax/up.h
  if check_tree >/dev/null; then echo "self-test: syntax/ above its level was not found"; exit 1; fi
  rm syntax/up.h
  echo '#include "agents/proposer.h"' > clients/up.h
  if check_tree >/dev/null; then echo "self-test: an upward include was not found"; exit 1; fi
  rm clients/up.h
  echo 'co_await f([s] { g(s); });' > daemon/lambda.cpp
  if check_tree >/dev/null; then echo "self-test: a lambda in co_await was not found"; exit 1; fi
  echo "self-test passed"
  exit 0
fi

cd "$(dirname "$0")/../.."
check_tree && echo "levels hold"
