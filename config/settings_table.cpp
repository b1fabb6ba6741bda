#include "config/settings_table.h"

#include "base/job_names.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/nearest_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

namespace warpmind::config {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> kLogFormats{"json", "text"};
constexpr std::array<std::string_view, 4> kProviders{"auto", "gpu", "sim", "fixture"};
constexpr std::array<std::string_view, 3> kWhenRoot{"auto", "true", "false"};
constexpr std::array<std::string_view, 2> kLanes{"auto", "one"};
constexpr std::array<std::string_view, 3> kRetunes{"off", "propose", "run"};
constexpr std::array<std::string_view, 3> kEfforts{"quick", "normal", "strict"};
constexpr std::array<std::string_view, 3> kDialects{"chat", "responses", "messages"};
constexpr std::array<std::string_view, 3> kOutputLimitNames{"auto", "max_tokens",
                                                            "max_completion_tokens"};

// The name and the field come from one token sequence, so that they cannot drift apart.
#define WARPMIND_SETTING(member) \
  .name = #member, .field = [](Settings& s) -> SettingField { return &s.member; }

constexpr std::array kSettings{
    Setting{WARPMIND_SETTING(daemon.socket),
            .document = "Unix socket on which the daemon listens; at most 107 bytes.",
            .when_empty = "$XDG_RUNTIME_DIR/warpmind/warpmindd.sock, else "
                          "<daemon.state_directory>/run/warpmindd.sock"},
    Setting{WARPMIND_SETTING(daemon.state_directory),
            .document = "Folder of the log, the lock and the knowledge base.",
            .when_empty = "$XDG_STATE_HOME/warpmind, else ~/.local/state/warpmind"},
    Setting{WARPMIND_SETTING(daemon.allow_root),
            .document = "Start even as root: auto (in a container), true or false; candidates run "
                        "as an unprivileged user all the same.",
            .allowed = kWhenRoot},
    Setting{WARPMIND_SETTING(daemon.connections), .unit = "clients",
            .document = "Clients at one time; more are refused with a sentence.", .low = 1,
            .high = 65536},
    Setting{WARPMIND_SETTING(daemon.request_mib), .unit = "MiB",
            .document = "Longest request; a longer one closes its connection.", .low = 1,
            .high = 1024},
    Setting{WARPMIND_SETTING(daemon.idle_exit_s), .unit = "s",
            .document = "Leave after so long without client or job; 0 means never.", .low = 0,
            .high = 31536000},
    Setting{WARPMIND_SETTING(daemon.worker_threads), .unit = "threads",
            .document = "Threads for requests that wait for the disk or the compiler.", .low = 1,
            .high = 256},
    Setting{WARPMIND_SETTING(http.listen),
            .document =
                "Address and port for MCP over HTTP, such as 127.0.0.1:7411; loopback only, "
                "port 0 takes a free one. Clients need the token in the file http.token of "
                "the state directory.",
            .when_empty = "HTTP is off"},
    Setting{WARPMIND_SETTING(log.level),
            .document = "Least severe lines that are kept: debug, info, warn or error.",
            .allowed = kLevels},
    Setting{WARPMIND_SETTING(log.format),
            .document = "How lines of the log file look: json, one object a line, or text.",
            .allowed = kLogFormats},
    Setting{WARPMIND_SETTING(log.to_stderr),
            .document = "Write the log to standard error as well."},
    Setting{WARPMIND_SETTING(otlp.endpoint),
            .document = "Collector that gets traces of jobs, like http://127.0.0.1:4318; "
                        "/v1/traces is added.",
            .when_empty = "the variable OTEL_EXPORTER_OTLP_ENDPOINT, else none are sent"},
    Setting{WARPMIND_SETTING(otlp.service), .document = "Name of this service in traces.",
            .when_empty = "the variable OTEL_SERVICE_NAME, else warpmind"},
    Setting{WARPMIND_SETTING(knowledge.directory), .document = "Folder of the knowledge base.",
            .when_empty = "<daemon.state_directory>/knowledge"},
    Setting{WARPMIND_SETTING(knowledge.reserve_mib), .unit = "MiB",
            .document = "Writes are refused when the disk has less free space than this.",
            .low = 192, .high = 1048576},
    Setting{WARPMIND_SETTING(knowledge.cache_mib), .unit = "MiB",
            .document = "Memory for blocks of the knowledge base; a base of 10^6 insights searches "
                        "fastest with 512.",
            .low = 8, .high = 65536},
    Setting{WARPMIND_SETTING(knowledge.insights),
            .document = "Episodes retrieve insights for each step; false leaves them with the "
                        "statistics of techniques."},
    Setting{WARPMIND_SETTING(knowledge.withhold), .unit = "probability",
            .document = "Share of the retrieved insights that a step does not get to see, drawn at "
                        "random: only so can it be measured what an insight is worth.",
            .low = 0, .high = 0.5},
    Setting{WARPMIND_SETTING(knowledge.embeddings_url),
            .document = "Server whose /v1/embeddings makes vectors of texts, beside the built-in "
                        "ones; the texts of insights and searches are sent there.",
            .when_empty = "none"},
    Setting{WARPMIND_SETTING(knowledge.embeddings_model),
            .document = "The model, as that server names it; another one embeds everything again.",
            .when_empty = "none"},
    Setting{WARPMIND_SETTING(knowledge.embeddings_key_file),
            .document = "File of mode 0600 that contains only the server's key.",
            .when_empty = "no key is sent", .stays_empty = true},
    Setting{WARPMIND_SETTING(knowledge.embeddings_timeout_ms), .unit = "ms",
            .document = "How long a search waits for its vector before it uses the built-in one.",
            .low = 10, .high = 60000},
    Setting{WARPMIND_SETTING(knowledge.embeddings_near), .unit = "cosine",
            .document = "Cosine from which these vectors alone make an insight relevant; 1 = "
                        "never. Depends on the model.",
            .low = 0, .high = 1},
    Setting{WARPMIND_SETTING(toolchain.nvcc), .document = "The CUDA compiler.",
            .when_empty = "found on PATH, in $CUDA_HOME, /usr/local/cuda*, pip's packages, … "
                          "(docs/toolkits.md)",
            .stays_empty = true},
    Setting{WARPMIND_SETTING(toolchain.host_compiler),
            .document = "The C++ compiler for references and for kernels of tier B.",
            .when_empty = "g++ on PATH, or the newest g++-N that the toolkit accepts",
            .stays_empty = true},
    Setting{WARPMIND_SETTING(toolchain.cache_directory),
            .document = "Folder of built kernels, by content.",
            .when_empty = "$XDG_CACHE_HOME/warpmind/build, else ~/.cache/warpmind/build"},
    Setting{WARPMIND_SETTING(toolchain.cache_mib), .unit = "MiB",
            .document = "Size of that folder; the least recently used binaries go first.",
            .low = 16, .high = 1048576},
    Setting{WARPMIND_SETTING(toolchain.timeout_s), .unit = "s", .document = "Longest compilation.",
            .low = 1, .high = 3600},
    Setting{WARPMIND_SETTING(toolchain.memory_mib), .unit = "MiB",
            .document = "Address space of one compiler process.", .low = 512, .high = 1048576},
    Setting{WARPMIND_SETTING(toolchain.diagnostics_kib), .unit = "KiB",
            .document = "Compiler text that is kept of one compilation; the rest is cut.", .low = 1,
            .high = 4096},
    Setting{WARPMIND_SETTING(lab.provider),
            .document =
                "Where verdicts come from: gpu measures, sim predicts in the simulator, fixture "
                "replays recordings; auto takes the GPU where there is one, else sim.",
            .allowed = kProviders},
    Setting{WARPMIND_SETTING(lab.device), .document = "CUDA ordinal of the GPU to measure on.",
            .low = 0, .high = 1023},
    Setting{WARPMIND_SETTING(lab.target),
            .document = "Device of the table to build and predict for when no GPU is present."},
    Setting{WARPMIND_SETTING(lab.worker), .document = "The program warpmind-worker.",
            .when_empty = "beside the daemon", .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.judge), .document = "The program warpmind-judge.",
            .when_empty = "beside the daemon", .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.cuda_runtime),
            .document = "Folder of the CUDA runtime (libcudart.so.13).",
            .when_empty = "the dynamic loader's own search", .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.simulator), .document = "Folder of the simulator's CUDA runtime.",
            .when_empty = "../lib/simulator or ../lib/warpmind/simulator from the daemon's program",
            .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.prefilter),
            .document = "With a GPU: candidates first pass the simulator's checks (races, bounds, "
                        "uninitialised reads) on small workloads."},
    Setting{WARPMIND_SETTING(lab.spill_gate),
            .document = "Rewrites of the built-in agent that spill registers where the kernel they "
                        "were made from does not are refused after the build."},
    Setting{WARPMIND_SETTING(lab.simulated_ginst), .unit = "10^9 thread instructions",
            .document = "A timed workload that needs more is simulated in part: a sample of its "
                        "blocks is timed and compared, and the verdict says partly checked.",
            .low = 0.001, .high = 10000},
    Setting{WARPMIND_SETTING(lab.bubblewrap),
            .document = "The program bwrap that isolates compilers and candidates.",
            .when_empty = "bwrap on PATH", .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.unsafe_no_sandbox),
            .document = "Run candidates without isolation; every result is marked with it."},
    Setting{WARPMIND_SETTING(lab.scratch_directory),
            .document = "Folder for the inputs and outputs of a judgement.",
            .when_empty = "/dev/shm where it can be written, else $TMPDIR, else /tmp"},
    Setting{WARPMIND_SETTING(lab.program_folders),
            .document = "Folders, separated by colons, that a program may name in `needs` although "
                        "they lie in a home, /etc, /var or /tmp (docs/program_tasks.md).",
            .when_empty = "none"},
    Setting{WARPMIND_SETTING(lab.case_timeout_s), .unit = "s",
            .document = "Wall time of one check case on the device.", .low = 0.1, .high = 3600},
    Setting{WARPMIND_SETTING(lab.check_seeds), .unit = "cases",
            .document = "Check cases for each workload; they cycle through the distributions.",
            .low = 5, .high = 1000},
    Setting{WARPMIND_SETTING(lab.timing_quads), .unit = "quads",
            .document = "ABBA quads of timed blocks in each process.", .low = 3, .high = 1000},
    Setting{WARPMIND_SETTING(lab.confirm_processes), .unit = "processes",
            .document = "Fresh process pairs behind a verdict.", .low = 2, .high = 100},
    Setting{WARPMIND_SETTING(lab.block_ms), .unit = "ms", .document = "Shortest timed block.",
            .low = 0.1, .high = 1000},
    Setting{WARPMIND_SETTING(lab.effort),
            .document =
                "What a kernel must pass before it counts, where the order does not say: quick, "
                "normal or strict (docs/lab.md).",
            .allowed = kEfforts},
    Setting{WARPMIND_SETTING(lab.sanitizer),
            .document = "The program compute-sanitizer, which checks finalists on a GPU.",
            .when_empty = "beside nvcc", .stays_empty = true},
    Setting{
        WARPMIND_SETTING(lab.library_baseline),
        .document = "On a GPU, time the best library call for a task once (docs/measuring.md)."},
    Setting{WARPMIND_SETTING(lab.counters),
            .document = "Collect hardware counters where the driver permits it."},
    Setting{WARPMIND_SETTING(lab.fixture_directory),
            .document = "Folder of recorded verdicts for the provider fixture.",
            .when_empty = "none", .stays_empty = true},
    Setting{WARPMIND_SETTING(lab.record_directory),
            .document = "Folder in which every verdict is recorded as well.",
            .when_empty = "no recording", .stays_empty = true},
    Setting{WARPMIND_SETTING(episode.evaluations), .unit = "candidates",
            .document = "Candidates judged for one task unless the job says otherwise.", .low = 1,
            .high = 100000},
    Setting{WARPMIND_SETTING(episode.seconds), .unit = "s",
            .document = "Wall time of one episode unless the job says otherwise.", .low = 1,
            .high = 604800},
    Setting{WARPMIND_SETTING(episode.tokens), .unit = "tokens",
            .document = "Tokens that the language model may take for one episode; 0 means no "
                        "limit.",
            .low = 0, .high = 1e12},
    Setting{WARPMIND_SETTING(episode.usd), .unit = "USD",
            .document = "Money that the language model may cost for one episode; 0 means no limit.",
            .low = 0, .high = 1e6},
    Setting{WARPMIND_SETTING(episode.policy),
            .document = "How an episode searches: greedy, fsr, mcgs, evolve, turns; auto chooses "
                        "among them.",
            .allowed = kPolicyNames},
    Setting{WARPMIND_SETTING(episode.workers), .unit = "candidates",
            .document = "Candidates of one episode that are in the making at one time.", .low = 1,
            .high = 64},
    Setting{WARPMIND_SETTING(episode.skill_directory),
            .document = "Your own skills, a folder each (docs/skills.md).",
            .when_empty = "$XDG_DATA_HOME/warpmind/skills, else ~/.local/share/warpmind/skills"},
    Setting{
        WARPMIND_SETTING(episode.lease_s), .unit = "s",
        .document =
            "An external episode is closed, keeping its results, after this long without a call.",
        .low = 10, .high = 604800},
    Setting{WARPMIND_SETTING(llm.url),
            .document = "Server of the language model, like https://api.example.com or "
                        "http://127.0.0.1:8080; kernels and their profiles are sent there.",
            .when_empty = "none"},
    Setting{WARPMIND_SETTING(llm.dialect),
            .document = "What that server speaks: chat (/v1/chat/completions), responses "
                        "(/v1/responses) or messages (/v1/messages).",
            .allowed = kDialects},
    Setting{WARPMIND_SETTING(llm.model), .document = "The model, as that server names it.",
            .when_empty = "none"},
    Setting{WARPMIND_SETTING(llm.key_file),
            .document = "File of mode 0600 that contains only the server's key.",
            .when_empty = "the variable WARPMIND_LLM_KEY, else no key is sent",
            .stays_empty = true},
    Setting{WARPMIND_SETTING(llm.ca_file),
            .document = "PEM file of the authorities that may vouch for that server.",
            .when_empty = "those of the system", .stays_empty = true},
    Setting{WARPMIND_SETTING(llm.price_file),
            .document = "Table of prices by model, in the form of config/prices.toml.",
            .when_empty = "built-in table (no prices)", .stays_empty = true},
    Setting{WARPMIND_SETTING(llm.prompts),
            .document = "Folder of prompts that take the place of the built-in ones, by file name.",
            .when_empty = "none", .stays_empty = true},
    Setting{WARPMIND_SETTING(llm.output_limit_name),
            .document = "What dialect chat calls the limit of an answer: max_tokens or "
                        "max_completion_tokens; auto finds out.",
            .allowed = kOutputLimitNames},
    Setting{WARPMIND_SETTING(llm.stream),
            .document = "Read answers while they are written; false waits for the whole."},
    Setting{WARPMIND_SETTING(llm.max_output_tokens), .unit = "tokens",
            .document = "Longest answer, reasoning included.", .low = 16, .high = 1000000},
    Setting{WARPMIND_SETTING(llm.connect_timeout_s), .unit = "s",
            .document = "Longest wait for a connection.", .low = 0.1, .high = 600},
    Setting{
        WARPMIND_SETTING(llm.stall_s), .unit = "s",
        .document = "An answer without new data for this long is abandoned and requested again.",
        .low = 1, .high = 86400},
    Setting{WARPMIND_SETTING(llm.retries), .unit = "attempts",
            .document = "Further attempts after a failure that may pass.", .low = 0, .high = 20},
    Setting{WARPMIND_SETTING(llm.tokens_per_day), .unit = "tokens",
            .document = "Tokens that the language model may take in one day (UTC); 0 means no "
                        "limit.",
            .low = 0, .high = 1e12},
    Setting{WARPMIND_SETTING(llm.usd_per_day), .unit = "USD",
            .document = "Money that the language model may cost in one day (UTC); 0 means no "
                        "limit. Needs a price of the model.",
            .low = 0, .high = 1e6},
    Setting{WARPMIND_SETTING(queue.lanes),
            .document = "Jobs that run beside each other: auto has queue.jobs_per_gpu lanes for "
                        "each GPU that CUDA would show and one for the simulator; one runs them "
                        "one after the other.",
            .allowed = kLanes},
    Setting{WARPMIND_SETTING(queue.jobs_per_gpu), .unit = "jobs",
            .document = "Jobs that share one GPU: while one is timed, alone, the others build and "
                        "check. They need memory of the GPU beside each other.",
            .low = 1, .high = 8},
    Setting{WARPMIND_SETTING(queue.builds), .unit = "compilers",
            .document = "Compilers that run at one time, whatever the number of lanes; 0 means as "
                        "many as there are processors.",
            .low = 0, .high = 1024},
    Setting{WARPMIND_SETTING(queue.retune),
            .document = "Jobs that the daemon thinks of itself (a new device, driver or toolkit, "
                        "insights that contradict each other): off, propose (they wait for "
                        "`warpmind queue resume`) or run.",
            .allowed = kRetunes},
    Setting{WARPMIND_SETTING(queue.nats),
            .document =
                "NATS server with JetStream that joins hosts, like nats://127.0.0.1:4222 or "
                "tls://host:4222: evaluations go to its workers, insights to its daemons.",
            .when_empty = "this host alone"},
    Setting{WARPMIND_SETTING(queue.nats_token_file),
            .document = "File of mode 0600 that contains only the token of that server.",
            .when_empty = "no token is sent", .stays_empty = true},
    Setting{WARPMIND_SETTING(queue.nats_ca_file),
            .document = "PEM file of the authorities that may vouch for that server.",
            .when_empty = "those of the system", .stays_empty = true},
    Setting{WARPMIND_SETTING(queue.serve),
            .document =
                "What `warpmind worker` judges for: sim, fixture, or the architecture that its "
                "GPU must have, like sm_90; auto follows lab.provider."},
    Setting{WARPMIND_SETTING(queue.share_insights),
            .document = "Tell the daemons at that server what this base learned, and hear them."},
    Setting{
        WARPMIND_SETTING(queue.lease_s), .unit = "s",
        .document =
            "A worker without a sign of life for this long loses its evaluation to another one.",
        .low = 1, .high = 3600},
    Setting{WARPMIND_SETTING(queue.patience_s), .unit = "s",
            .document =
                "How long an evaluation waits while no worker is there or the server is out "
                "of reach, before the attempt of its job has failed.",
            .low = 1, .high = 604800},
};

#undef WARPMIND_SETTING

// Shortest text that reads back as the same number: 2, 2.5, 1e-05.
std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return shortest_number(value);
}

tl::unexpected<Error> must_be(const Setting& setting, std::string_view what,
                              std::string_view found) {
  return fail(Errc::invalid_argument, "setting '" + std::string(setting.name) + "' must be " +
                                          std::string(what) + ", not '" + std::string(found) + "'");
}

std::string range_text(const Setting& setting) {
  const std::string unit = setting.unit.empty() ? "" : " " + std::string(setting.unit);
  if (setting.high == kInfinity) return "at least " + number_text(setting.low) + unit;
  return "from " + number_text(setting.low) + " to " + number_text(setting.high) + unit;
}

// False also for NaN.
bool in_range(const Setting& setting, double value) {
  return value >= setting.low && value <= setting.high;
}

template <class T>
T* field_of(const Setting& setting, Settings& settings) {
  const SettingField field = setting.field(settings);
  const auto* member = std::get_if<T*>(&field);
  return member == nullptr ? nullptr : *member;
}

bool is_allowed(const Setting& setting, std::string_view value) {
  return contains(setting.allowed, value);
}

Result<void> assign_string(const Setting& setting, std::string_view value, std::string& member) {
  if (value == "1" && is_allowed(setting, "true")) value = "true";
  if (value == "0" && is_allowed(setting, "false")) value = "false";
  if (!setting.allowed.empty() && !is_allowed(setting, value)) {
    std::string names;
    for (const auto name : setting.allowed) {
      names += (names.empty() ? "one of " : ", ") + std::string(name);
    }
    return must_be(setting, names, value);
  }
  if (value.empty() && setting.when_empty.empty()) return must_be(setting, "a text", value);
  member = value;
  return {};
}

// Markdown would take <state> for a tag.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? std::string("&lt;") : std::string(1, c);
  return out;
}

std::string document_row(const Setting& setting) {
  const std::string value = value_text(setting, Settings{});
  const std::string shown = value.empty() ? escaped(setting.when_empty) : "`" + value + "`";
  const std::string unit = setting.unit.empty() ? "" : " " + std::string(setting.unit);
  const std::string range = setting.low == -kInfinity ? "" : " Range: " + range_text(setting) + ".";
  return "| `" + std::string(setting.name) + "` | " + std::string(type_name(setting)) + " | " +
         shown + unit + " | `" + environment_name(setting) + "` | " +
         std::string(setting.document) + range + " |\n";
}

}  // namespace

std::span<const Setting> settings_table() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  const auto* found = std::find_if(kSettings.begin(), kSettings.end(),
                                   [&](const Setting& setting) { return setting.name == name; });
  return found == kSettings.end() ? nullptr : found;
}

std::string environment_name(const Setting& setting) {
  std::string name = "WARPMIND_";
  for (const char c : setting.name) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string_view type_name(const Setting& setting) {
  constexpr std::array<std::string_view, 5> kNames{"boolean", "integer", "number", "text", "path"};
  Settings any;
  return kNames.at(setting.field(any).index());
}

std::string_view type_phrase(const Setting& setting) {
  constexpr std::array<std::string_view, 5> kPhrases{"true or false", "an integer", "a number",
                                                     "a text", "a path"};
  Settings any;
  return kPhrases.at(setting.field(any).index());
}

std::string value_text(const Setting& setting, const Settings& settings) {
  Settings copy = settings;  // the accessor wants to write
  const SettingField field = setting.field(copy);
  if (const auto* member = std::get_if<bool*>(&field)) return **member ? "true" : "false";
  if (const auto* member = std::get_if<std::int64_t*>(&field)) return std::to_string(**member);
  if (const auto* member = std::get_if<double*>(&field)) return number_text(**member);
  if (const auto* member = std::get_if<std::string*>(&field)) return **member;
  return (*std::get<std::filesystem::path*>(field)).string();
}

Result<void> assign_boolean(const Setting& setting, bool value, Settings& settings) {
  const std::string_view word = value ? "true" : "false";
  auto* member = field_of<bool>(setting, settings);
  if (member == nullptr && is_allowed(setting, word)) return assign_text(setting, word, settings);
  if (member == nullptr) return must_be(setting, type_phrase(setting), word);
  *member = value;
  return {};
}

Result<void> assign_integer(const Setting& setting, std::int64_t value, Settings& settings) {
  auto* member = field_of<std::int64_t>(setting, settings);
  if (member == nullptr) {
    if (field_of<double>(setting, settings) != nullptr) {
      return assign_number(setting, static_cast<double>(value), settings);
    }
    return must_be(setting, type_phrase(setting), std::to_string(value));
  }
  if (!in_range(setting, static_cast<double>(value))) {
    return must_be(setting, range_text(setting), std::to_string(value));
  }
  *member = value;
  return {};
}

Result<void> assign_number(const Setting& setting, double value, Settings& settings) {
  auto* member = field_of<double>(setting, settings);
  if (member == nullptr) return must_be(setting, type_phrase(setting), number_text(value));
  if (!in_range(setting, value)) return must_be(setting, range_text(setting), number_text(value));
  *member = value;
  return {};
}

Result<void> assign_text(const Setting& setting, std::string_view text, Settings& settings) {
  if (auto* path = field_of<std::filesystem::path>(setting, settings)) {
    if (text.find('\0') != std::string_view::npos) return must_be(setting, "a path", "a NUL byte");
    *path = text;
    return {};
  }
  if (auto* member = field_of<std::string>(setting, settings)) {
    return assign_string(setting, text, *member);
  }
  if (field_of<bool>(setting, settings) != nullptr) {
    if (text == "true" || text == "1") return assign_boolean(setting, true, settings);
    if (text == "false" || text == "0") return assign_boolean(setting, false, settings);
  } else if (field_of<std::int64_t>(setting, settings) != nullptr) {
    const auto value = parse_number<std::int64_t>(text);
    if (value) return assign_integer(setting, *value, settings);
  } else {
    const auto value = parse_number<double>(text);
    if (value) return assign_number(setting, *value, settings);
  }
  return must_be(setting, type_phrase(setting), text);
}

std::string settings_document() {
  std::string out =
      "| setting | type | default | environment | what it does |\n|---|---|---|---|---|\n";
  for (const auto& setting : kSettings) out += document_row(setting);
  return out;
}

}  // namespace warpmind::config
