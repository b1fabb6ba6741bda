#pragma once
/// \file
/// Every setting of the product, typed, with its default. Its table (name, unit, document) is in
/// config/settings_table.h; precedence is flag > environment WARPMIND_* > file > default.

#include <cstdint>
#include <filesystem>
#include <string>

namespace warpmind::config {

/// An empty path means "by the XDG rules", resolved by the loader; after loading no path is empty
/// but those that say so.
struct DaemonSettings {
  std::filesystem::path socket;           ///< $XDG_RUNTIME_DIR/warpmind/warpmindd.sock, else
                                          ///< <state_directory>/run/warpmindd.sock
  std::filesystem::path state_directory;  ///< $XDG_STATE_HOME/warpmind: log, base, lock
  std::string allow_root = "auto";  ///< auto (in a container), true, false; candidates of a root
                                    ///< daemon run as uid 65534 all the same
  std::int64_t connections = 256;   ///< more are refused with a sentence
  std::int64_t request_mib = 16;    ///< a longer line is refused, the connection closed
  std::int64_t idle_exit_s = 0;     ///< leave after so long without client or job; 0 = never
  std::int64_t worker_threads = 2;  ///< handlers that block (disk, compiler)
};

/// HTTP on this machine's loopback address (docs/mcp.md).
struct HttpSettings {
  std::string listen;  ///< "127.0.0.1:7411"; port 0 = any free one; empty = off
};

struct LogSettings {
  std::string level = "info";   ///< debug, info, warn, error
  std::string format = "json";  ///< of the file: json, text
  bool to_stderr = false;
};

/// Traces for a collector (docs/observability.md).
struct OtlpSettings {
  std::string endpoint;  ///< empty = $OTEL_EXPORTER_OTLP_ENDPOINT, else off
  std::string service;   ///< empty = $OTEL_SERVICE_NAME, else "warpmind"
};

struct KnowledgeSettings {
  std::filesystem::path directory;  ///< <state_directory>/knowledge
  std::int64_t reserve_mib =
      256;                       ///< refuse writes when less is free: RocksDB aborts on a full disk
  std::int64_t cache_mib = 128;  ///< RocksDB's block cache
  bool insights = true;          ///< episodes retrieve insights; false: statistics only
  double withhold = 0.1;       ///< share of retrieved insights that a step does not see, at random
  std::string embeddings_url;  ///< server of /v1/embeddings; empty = none
  std::string embeddings_model;               ///< as that server names it
  std::filesystem::path embeddings_key_file;  ///< mode 0600; empty = no key is sent
  std::int64_t embeddings_timeout_ms = 1000;  ///< what a search waits for its vector
  double embeddings_near = 0.8;  ///< cosine from which nearness of vectors alone is enough
};

struct ToolchainSettings {
  std::filesystem::path nvcc;             ///< empty = looked for (config/toolkit_search.h)
  std::filesystem::path host_compiler;    ///< for references and tier B; empty = g++ on PATH
  std::filesystem::path cache_directory;  ///< $XDG_CACHE_HOME/warpmind/build
  std::int64_t cache_mib = 2048;          ///< least recently used binaries go first
  double timeout_s = 60;
  std::int64_t memory_mib = 8192;
  std::int64_t diagnostics_kib = 64;  ///< more compiler text is cut
};

struct LabSettings {
  std::string provider = "auto";       ///< auto (gpu, else sim), gpu, sim, fixture
  std::int64_t device = 0;             ///< CUDA ordinal
  std::string target = "h200";         ///< device of the table to build and predict for
  std::filesystem::path worker;        ///< warpmind-worker; empty = beside the daemon
  std::filesystem::path judge;         ///< warpmind-judge; empty = beside the daemon
  std::filesystem::path cuda_runtime;  ///< folder of the CUDA runtime; empty = loader's own search
  std::filesystem::path simulator;     ///< folder of the simulator's runtime; empty =
                                       ///< beside the daemon's program
  bool prefilter = true;               ///< candidates pass the simulator's checks before the GPU
  bool spill_gate = true;              ///< built-in rewrites with new register spills are refused
  double simulated_ginst = 2;          ///< a timed workload of more thread instructions, in 10^9,
                                       ///< is simulated in part
  std::filesystem::path bubblewrap;    ///< empty = bwrap on PATH
  bool unsafe_no_sandbox = false;      ///< stamps every result sandboxed=false
  std::filesystem::path
      scratch_directory;        ///< /dev/shm where it is writable, else the temporary folder
  std::string program_folders;  ///< that programs may read, though private; separated by colons
  double case_timeout_s = 10;   ///< wall time of one check case on the device
  std::int64_t check_seeds =
      6;  ///< cases a workload, cycling through the distributions; at least 5
  std::int64_t timing_quads = 10;           ///< ABBA quads a process
  std::int64_t confirm_processes = 7;       ///< fresh process pairs behind a verdict
  double block_ms = 2;                      ///< shortest timed block
  std::string effort = "normal";            ///< quick, normal, strict: where an order names none
  std::filesystem::path sanitizer;          ///< compute-sanitizer; empty = beside nvcc
  bool library_baseline = true;             ///< time the best library call once a task and device
  bool counters = true;                     ///< collect hardware counters (tier T2) where permitted
  std::filesystem::path fixture_directory;  ///< provider fixture: recorded verdicts; empty = none
  std::filesystem::path
      record_directory;  ///< when set, every verdict is also recorded there; empty = off
};

struct EpisodeSettings {
  std::int64_t evaluations = 24;  ///< candidates judged a task
  double seconds = 600;
  std::int64_t tokens = 0;                ///< of the language model; 0 = no limit
  double usd = 0;                         ///< for the language model; 0 = no limit
  std::string policy = "auto";            ///< auto, greedy, fsr, mcgs, evolve, turns
  std::int64_t workers = 1;               ///< candidates of one episode in the making at a time
  std::filesystem::path skill_directory;  ///< $XDG_DATA_HOME/warpmind/skills
  double lease_s = 1800;  ///< an external episode is closed when nobody called for so long
};

/// The queue (docs/queues.md), and work with other hosts (docs/hosts.md). The token stands in a
/// file, never here.
struct QueueSettings {
  std::string lanes = "auto";      ///< auto (by the GPUs, and one for the simulator), one
  std::int64_t jobs_per_gpu = 2;   ///< jobs that share a GPU; each measures alone
  std::int64_t builds = 0;         ///< compilers at once; 0 = as many as processors
  std::string retune = "propose";  ///< off, propose, run: jobs that the daemon thinks of itself
  std::string nats;                ///< "nats://host:4222"; empty = this host alone
  std::filesystem::path nats_token_file;  ///< mode 0600; empty = no token is sent
  std::filesystem::path nats_ca_file;     ///< PEM; empty = the system's authorities
  std::string serve = "auto";             ///< of `warpmind worker`: auto, sim, fixture, sm_90
  bool share_insights = true;             ///< exchange them with the other daemons there
  double lease_s = 30;      ///< a worker without sign of life for so long has lost its evaluation
  double patience_s = 600;  ///< what an evaluation waits for a worker or the server
};

/// The language model (docs/llm.md). The key stands in a file or in WARPMIND_LLM_KEY, never here.
struct LlmSettings {
  std::string url;               ///< empty = there is none
  std::string dialect = "chat";  ///< chat, responses, messages
  std::string model;
  std::filesystem::path key_file;          ///< mode 0600; empty = WARPMIND_LLM_KEY, else no key
  std::filesystem::path ca_file;           ///< PEM; empty = the system's authorities
  std::filesystem::path price_file;        ///< empty = the built-in table
  std::filesystem::path prompts;           ///< overrides of config/prompts; empty = none
  std::string output_limit_name = "auto";  ///< auto, max_tokens, max_completion_tokens
  bool stream = true;
  std::int64_t max_output_tokens = 16'384;
  double connect_timeout_s = 10;
  std::int64_t stall_s = 300;                ///< an answer that stands still so long is given up
  std::int64_t retries = 2;                  ///< beyond the first attempt
  std::int64_t tokens_per_day = 10'000'000;  ///< UTC; 0 = no limit
  double usd_per_day = 0;                    ///< UTC; 0 = no limit
};

struct Settings {
  DaemonSettings daemon;
  HttpSettings http;
  LogSettings log;
  OtlpSettings otlp;
  KnowledgeSettings knowledge;
  ToolchainSettings toolchain;
  LabSettings lab;
  EpisodeSettings episode;
  LlmSettings llm;
  QueueSettings queue;
};

}  // namespace warpmind::config
