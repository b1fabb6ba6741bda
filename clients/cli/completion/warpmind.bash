# bash completion for warpmind. Installed as share/bash-completion/completions/warpmind;
# by hand: source clients/cli/completion/warpmind.bash

_warpmind_jobs() {
  # Ids from a daemon that runs; never starts one.
  warpmind status --no-start 2>/dev/null | grep -oE 'j-[0-9]{10}' | sort -ru
}

_warpmind() {
  local word="${COMP_WORDS[COMP_CWORD]}"
  local previous=""
  if ((COMP_CWORD > 0)); then previous="${COMP_WORDS[COMP_CWORD-1]}"; fi
  local globals="--socket --config --set --no-start --json --help"
  COMPREPLY=()

  # The command: the words that are neither flags nor values of flags.
  local command="" argument="" skip=0 i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if ((skip)); then skip=0; continue; fi
    case "${COMP_WORDS[i]}" in
      --socket|--config|--set|--evaluations|--seconds|--provider|--proposer|--replay|--fixtures|--output)
        skip=1 ;;
      -*) ;;
      *)
        case "$command" in
          "") command="${COMP_WORDS[i]}" ;;
          kb|config|daemon) command="$command ${COMP_WORDS[i]}" ;;
          *) argument="${COMP_WORDS[i]}" ;;
        esac ;;
    esac
  done

  case "$previous" in
    --socket|--config|--replay|--fixtures|--output)
      mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --provider) mapfile -t COMPREPLY < <(compgen -W "gpu fixture" -- "$word"); return ;;
    --proposer) mapfile -t COMPREPLY < <(compgen -W "builtin replay" -- "$word"); return ;;
    --set|--evaluations|--seconds) return ;;
  esac

  local candidates="$globals"
  case "$command" in
    "")
      candidates="optimize status result cancel validate kb doctor config daemon --version $globals" ;;
    kb) candidates="stats $globals" ;;
    config) candidates="show $globals" ;;
    daemon) candidates="start stop status $globals" ;;
    optimize)
      candidates="--evaluations --seconds --provider --proposer --replay --fixtures --output --detach $globals" ;;
    result) candidates="--output $globals" ;;
    "config show") candidates="--origin $globals" ;;
    "daemon stop") candidates="--finish $globals" ;;
  esac

  if [[ "$word" != -* && -z "$argument" ]]; then
    case "$command" in
      optimize|validate) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
      result|cancel) mapfile -t COMPREPLY < <(compgen -W "$(_warpmind_jobs)" -- "$word"); return ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}

complete -o filenames -F _warpmind warpmind
