# bash completion for warpmind. Installed as share/bash-completion/completions/warpmind;
# by hand: source clients/cli/completion/warpmind.bash

_warpmind_jobs() {
  # Ids from a daemon that runs; never starts one.
  warpmind status --no-start 2>/dev/null | grep -oE 'j-[0-9]{10}' | sort -ru
}

_warpmind_techniques() {
  warpmind kb techniques --no-start 2>/dev/null | awk 'NR > 1 && $1 ~ /^[a-z]/ { print $1 }'
}

# Flags of `warpmind kb COMMAND`.
_warpmind_kb_flags() {
  local claim="--claim --mechanism --parameters --operator --dtype --bottleneck --contract"
  claim="$claim --device --capability --space --reason"
  case "$1" in
    search) echo "--bottleneck --operator --dtype --device --capability --kernel --technique --space --contract --limit --all" ;;
    history) echo "--blame --as-of" ;;
    add) echo "$claim --technique --kind --licence --model --file" ;;
    edit) echo "$claim" ;;
    retire|retract|pin|unpin|quarantine|reinstate|supersede) echo "--reason" ;;
    undo) echo "--change --reason" ;;
    sources) echo "--quarantine --release --reason" ;;
    techniques) echo "--put --reason" ;;
    graph) echo "--from --cluster --device --provider --limit --export --import" ;;
    calibration) echo "--provider" ;;
    verify) echo "--deep" ;;
    backup) echo "--keep" ;;
    restore) echo "--id --into --replace --yes" ;;
    export) echo "--md --space --licence --all --key" ;;
    import|merge) echo "--space --trusted-key --require-signature" ;;
  esac
}

_warpmind() {
  local word="${COMP_WORDS[COMP_CWORD]}"
  local previous=""
  if ((COMP_CWORD > 0)); then previous="${COMP_WORDS[COMP_CWORD-1]}"; fi
  local globals="--socket --config --set --no-start --json --help"
  local kb="search show why history add edit retire retract pin unpin quarantine reinstate"
  kb="$kb supersede undo sources stats techniques facts graph clusters calibration verify rebuild"
  kb="$kb compact backup backups restore checkpoint export import merge"
  COMPREPLY=()

  # The command: the words that are neither flags nor values of flags.
  local command="" argument="" skip=0 i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if ((skip)); then skip=0; continue; fi
    case "${COMP_WORDS[i]}" in
      --all|--md|--deep|--blame|--replace|--yes|--require-signature|--json|--no-start|--help|--version) ;;
      --detach|--write|--open|--assume-shapes|--as-user|--origin|--finish|--record-only|--force|--no-check|--chain|--last-night) ;;
      --*) skip=1 ;;
      -*) ;;
      *)
        case "$command" in
          "") command="${COMP_WORDS[i]}" ;;
          kb|config|daemon|bench|export|task|queue|mcp|skill) command="$command ${COMP_WORDS[i]}" ;;
          *) argument="${COMP_WORDS[i]}" ;;
        esac ;;
    esac
  done

  local bottlenecks="memory_bandwidth uncoalesced_access memory_latency shared_bank_conflicts"
  bottlenecks="$bottlenecks compute_throughput tensor_cores_idle low_parallelism low_occupancy"
  bottlenecks="$bottlenecks register_spills thread_divergence synchronisation launch_overhead"
  bottlenecks="$bottlenecks extra_traffic unknown"
  local providers="gpu sim fixture"
  if [[ "$command" == optimize ]]; then providers="auto $providers"; fi
  if [[ "$command" == "task "* ]]; then providers="auto gpu sim"; fi
  if [[ "$command" == "bench memory" ]]; then providers="table sim gpu"; fi
  case "$previous" in
    --socket|--config|--replay|--fixtures|--output|--kernel|--file|--put|--key|--trusted-key|--import|--export|--into|--table|--record|--svg|--tasks|--work|--arguments|--libtorch|--precompiled|--report|--needs|--edit|--html|--markdown)
      mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --provider) mapfile -t COMPREPLY < <(compgen -W "$providers" -- "$word"); return ;;
    --proposer)
      mapfile -t COMPREPLY < <(compgen -W "builtin llm external replay" -- "$word"); return ;;
    --policy)
      mapfile -t COMPREPLY < <(compgen -W "auto greedy fsr mcgs evolve turns" -- "$word"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "kevin chat" -- "$word"); return ;;
    --kind)
      mapfile -t COMPREPLY < <(compgen -W "positive negative precondition composite" -- "$word")
      return ;;
    --dtype)
      mapfile -t COMPREPLY < <(compgen -W "f16 bf16 f32 f64 i8 u8 i32 u32 i64" -- "$word"); return ;;
    --bottleneck)
      mapfile -t COMPREPLY < <(compgen -W "$bottlenecks" -- "$word"); return ;;
    --technique|--from)
      mapfile -t COMPREPLY < <(compgen -W "$(_warpmind_techniques)" -- "$word"); return ;;
    --all|--md|--deep|--blame|--replace|--yes|--require-signature|--json|--no-start|--help|--version) ;;
    --detach|--write|--open|--assume-shapes|--as-user|--origin|--finish|--record-only|--force|--no-check|--chain|--last-night) ;;
    --*) return ;;
  esac

  local candidates="$globals"
  case "$command" in
    "")
      candidates="optimize status result cancel why export validate explain-moves flops task queue report kb lsp mcp worker dashboard skill doctor bench config daemon --version $globals" ;;
    kb) candidates="$kb $globals" ;;
    "kb "*) candidates="$(_warpmind_kb_flags "${command#kb }") $globals" ;;
    config) candidates="show $globals" ;;
    mcp) candidates="install --print-http $globals" ;;
    "mcp install") candidates="--client --write $globals" ;;
    dashboard) candidates="--open $globals" ;;
    worker) candidates="--nats --arch --token-file --slurm --sbatch $globals" ;;
    skill) candidates="print $globals" ;;
    bench) candidates="memory" ;;
    "bench memory")
      candidates="--provider --table --record --record-only --tasks --device --kernels-per-task --seconds"
      candidates="$candidates --policy --orders --seeds --evaluations --seed --threads --samples"
      candidates="$candidates --arms --arm --svg --config --set --json --help" ;;
    daemon) candidates="start stop status log-level install-units $globals" ;;
    "daemon log-level") candidates="debug info warn error --component $globals" ;;
    "daemon install-units") candidates="--write --directory $globals" ;;
    task) candidates="new check import $globals" ;;
    queue) candidates="add list why report pause resume cancel retry move rules $globals" ;;
    "queue add")
      candidates="--evaluations --seconds --provider --device --proposer --policy --model --seed --tokens"
      candidates="$candidates --usd --gpu-seconds --effort --user --priority --after --not-before"
      candidates="$candidates --deadline --every --chain $globals" ;;
    report) candidates="--last-night --night --html --markdown $globals" ;;
    "queue list") candidates="--limit $globals" ;;
    "queue report") candidates="--night $globals" ;;
    "queue rules") candidates="--quiet --night --user $globals" ;;
    "queue pause"|"queue resume"|"queue cancel"|"queue retry") candidates="--all $globals" ;;
    "task new")
      candidates="--name --build --run --pass --never --exit-code --kernel --edit --needs --run-seconds"
      candidates="$candidates --provider --device --yes --force $globals" ;;
    "task check") candidates="--runs --provider --device $globals" ;;
    "task import")
      candidates="--into --only --arguments --libtorch --precompiled --jobs --report --build-seconds --run-seconds --provider --device --no-check $globals" ;;
    optimize)
      candidates="--evaluations --seconds --provider --device --proposer --replay --fixtures --output --detach --policy --workers --seed --model --tokens --usd --gpu-seconds --effort --as-user --run --build --run-seconds --work --host-edits --assume-shapes $globals" ;;
    flops) candidates="--task --workload --device --run --build $globals" ;;
    result) candidates="--output $globals" ;;
    export) candidates="trajectories concur kb verify $globals" ;;
    "export trajectories") candidates="--format --provider --since $globals" ;;
    "export concur") candidates="--threshold --balance --provider --since $globals" ;;
    "config show") candidates="--origin $globals" ;;
    "daemon stop") candidates="--finish $globals" ;;
  esac

  if [[ "$word" != -* && "$command" == "kb import" && -n "$argument" ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word"); return
  fi
  if [[ "$word" != -* && "$command" == "task import" && -n "$argument" ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word"); return
  fi
  if [[ "$word" != -* && -z "$argument" ]]; then
    case "$command" in
      optimize|validate|explain-moves|flops) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
      "task new"|"task check") mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
      "task import")
        mapfile -t COMPREPLY < <(compgen -W "hecbench kernelblaster" -- "$word"); return ;;
      result|cancel) mapfile -t COMPREPLY < <(compgen -W "$(_warpmind_jobs)" -- "$word"); return ;;
      why) mapfile -t COMPREPLY < <(compgen -W "last $(_warpmind_jobs)" -- "$word"); return ;;
      "export "*) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
      "kb show"|"kb techniques")
        mapfile -t COMPREPLY < <(compgen -W "$(_warpmind_techniques)" -- "$word"); return ;;
      "kb backup"|"kb backups"|"kb restore"|"kb checkpoint")
        mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
      "kb export"|"kb merge") mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
      "kb import")
        mapfile -t COMPREPLY < <(compgen -W "kernelblaster kernel-tuner" -- "$word"; compgen -f -- "$word")
        return ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}

complete -o filenames -F _warpmind warpmind
