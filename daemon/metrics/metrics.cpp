#include "daemon/metrics/metrics.h"

#include "base/guarded.h"

#include <array>
#include <functional>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <set>
#include <string>
#include <utility>

namespace warpmind::daemon {
namespace {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;
using Buckets = prometheus::Histogram::BucketBoundaries;

/// Devices and models are named by others: after so many names the rest is "other".
constexpr std::size_t kMostNames = 32;
constexpr std::size_t kLongestName = 64;

const Buckets& latency_buckets() {
  static const Buckets buckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                               0.1,    0.25,  0.5,    1,     2.5,  10,    60};
  return buckets;
}
const Buckets& job_buckets() {
  static const Buckets buckets{1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400};
  return buckets;
}
const Buckets& ratio_buckets() {
  static const Buckets buckets{0.9, 1, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50};
  return buckets;
}

/// At most kMostNames different values.
class BoundedNames {
 public:
  std::string bounded_label(const std::string& name) {
    std::string cut = name.empty() ? "unknown" : name.substr(0, kLongestName);
    const bool known = names_.with([&cut](std::set<std::string>& names) {
      if (!names.contains(cut) && names.size() >= kMostNames) return false;
      names.insert(cut);
      return true;
    });
    return known ? cut : "other";
  }

 private:
  Guarded<std::set<std::string>> names_;
};

std::string name_text(auto value) { return std::string(name_of(value)); }

std::string architecture_of(const Episode& episode) {
  for (const auto& step : episode.steps) {
    if (step.verdict.build && !step.verdict.build->architecture.empty()) {
      return step.verdict.build->architecture;
    }
  }
  return "unknown";
}

/// One family a line: name, help.
class Catalogue {
 public:
  explicit Catalogue(prometheus::Registry& registry) : registry_(registry) {}
  Counters& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  Gauges& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  }
  Histograms& histogram(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  }

 private:
  prometheus::Registry& registry_;
};

/// Of one method of the socket. To find them by their labels takes as long as a short answer.
struct MethodFigures {
  std::array<prometheus::Counter*, 2> answers{};  ///< refusals, results; null = none so far
  prometheus::Histogram* seconds = nullptr;
};

}  // namespace

struct Metrics::Families {
  explicit Families(std::string provider) : model_provider(std::move(provider)) {}

  prometheus::Registry registry;
  Catalogue make{registry};
  std::string model_provider;
  BoundedNames architectures;
  BoundedNames models;
  Guarded<int> asking{0};  // one scrape at a time sets the gauges
  Guarded<std::map<std::string, MethodFigures, std::less<>>> methods;

  Counters& jobs = make.counter("warpmind_jobs_total", "Jobs that ended, by state.");
  Counters& episodes = make.counter("warpmind_episodes_total",
                                    "Episodes that ended, by outcome, architecture and provider.");
  Histograms& speedup = make.histogram(
      "warpmind_episode_speedup_ratio",
      "Given time / best time of episodes that were compared; of provider sim it is predicted.");
  Histograms& device =
      make.histogram("warpmind_device_job_seconds", "Seconds that a job kept its device busy.");
  Histograms& active =
      make.histogram("warpmind_job_active_seconds", "Seconds of work on a job, waits left out.");
  Counters& candidates =
      make.counter("warpmind_candidates_total", "Candidates judged, by outcome and provider.");
  Counters& stage_seconds =
      make.counter("warpmind_stage_seconds_total", "Seconds in the stages of judging.");
  Counters& stage_refusals = make.counter("warpmind_stage_refusals_total",
                                          "Candidates that ended at that stage of judging.");
  Counters& predictions =
      make.counter("warpmind_predictions_total",
                   "Candidates with a predicted interval, by whether the ratio lay in it.");
  Counters& tokens = make.counter("warpmind_llm_tokens_total", "Tokens of language models.");
  Counters& cost = make.counter("warpmind_llm_cost_usd_total", "US dollars for language models.");
  Counters& calls = make.counter("warpmind_llm_requests_total", "Requests to language models.");
  Counters& model_wait =
      make.counter("warpmind_llm_request_seconds_total", "Seconds waited for language models.");
  Counters& requests = make.counter("warpmind_rpc_requests_total",
                                    "Requests answered on the socket, by method and result.");
  Histograms& request_seconds =
      make.histogram("warpmind_rpc_request_seconds", "Time to the answer, by method.");
  Histograms& search_seconds =
      make.histogram("warpmind_kb_search_seconds", "Time to the answer of kb.search.");
  Counters& web = make.counter("warpmind_http_requests_total",
                               "Requests answered over HTTP, by path and status.");
  Histograms& web_seconds =
      make.histogram("warpmind_http_request_seconds", "Time to the answer over HTTP, by path.");

  Gauges& build = make.gauge("warpmind_build_info", "1; the version is a label.");
  Gauges& uptime = make.gauge("warpmind_uptime_seconds", "Since the daemon started.");
  Gauges& queued = make.gauge("warpmind_queue_depth", "Jobs that wait.");
  Gauges& running = make.gauge("warpmind_jobs_running", "Jobs at work.");
  Gauges& connections = make.gauge("warpmind_connections", "Clients on the socket.");
  Gauges& sessions = make.gauge("warpmind_http_sessions", "Connections and sessions over HTTP.");
  Counters& lane_busy = make.counter("warpmind_lane_busy_seconds_total",
                                     "Seconds in which lanes ran a job, of all lanes.");
  Gauges& degraded = make.gauge("warpmind_kb_degraded", "1 while the base is read-only.");
  Gauges& disk = make.gauge("warpmind_kb_disk_bytes", "Size of the base on the disk.");
  Gauges& entries = make.gauge("warpmind_kb_entries", "Records of the base, by family.");
  Gauges& engine = make.gauge("warpmind_rocksdb", "Figures of RocksDB, by name; bytes or a count.");
  Gauges& resident = make.gauge("process_resident_memory_bytes", "Resident memory of the daemon.");
  Gauges& descriptors = make.gauge("process_open_fds", "Open descriptors of the daemon.");
  Gauges& threads = make.gauge("process_threads", "Threads of the daemon.");
  Counters& spans =
      make.counter("warpmind_otlp_spans_total", "Spans of traces, by what became of them.");

  void count_episode(const Episode& episode);
  void count_models(const Episode& episode);
  static void raise_to(Counters& family, const prometheus::Labels& labels, double value) {
    auto& counter = family.Add(labels);
    if (value > counter.Value()) counter.Increment(value - counter.Value());
  }
};

Metrics::Metrics(std::string version, std::string model_provider)
    : families_(std::make_unique<Families>(model_provider.empty() ? std::string("none")
                                                                  : std::move(model_provider))) {
  families_->build.Add({{"version", std::move(version)}}).Set(1);
}
Metrics::~Metrics() = default;

void Metrics::Families::count_models(const Episode& episode) {
  std::string model;
  for (const auto& step : episode.steps) {
    if (!step.candidate.model.empty()) model = step.candidate.model;
  }
  const ModelSpending& spent = episode.spending;
  if (spent.calls == 0) return;
  const prometheus::Labels who{{"provider", model_provider},
                               {"model", models.bounded_label(model)}};
  const auto add = [&](const char* kind, std::int64_t count) {
    if (count <= 0) return;
    prometheus::Labels labels = who;
    labels.emplace("kind", kind);
    tokens.Add(labels).Increment(static_cast<double>(count));
  };
  add("input", spent.input_tokens);
  add("cache_read", spent.cached_tokens);
  add("cache_write", spent.written_tokens);
  add("output", spent.output_tokens - spent.reasoning_tokens);
  add("reasoning", spent.reasoning_tokens);
  calls.Add(who).Increment(static_cast<double>(spent.calls));
  cost.Add(who).Increment(static_cast<double>(spent.micro_usd) * 1e-6);
  model_wait.Add(who).Increment(spent.seconds);
}

void Metrics::Families::count_episode(const Episode& episode) {
  const std::string provider = name_text(episode.provider);
  episodes
      .Add({{"outcome", name_text(episode.outcome)},
            {"arch", architectures.bounded_label(architecture_of(episode))},
            {"provider", provider}})
      .Increment();
  if (episode.best_against_baseline) {
    speedup.Add({{"provider", provider}}, ratio_buckets())
        .Observe(episode.best_against_baseline->ratio);
  }
  for (const auto& step : episode.steps) {
    const Verdict& verdict = step.verdict;
    for (const auto& stage : verdict.stages) {
      const prometheus::Labels labels{{"stage", name_text(stage.stage)}, {"provider", provider}};
      stage_seconds.Add(labels).Increment(stage.seconds);
      if (!stage.passed) stage_refusals.Add(labels).Increment();
    }
    if (step.index == 0) continue;
    candidates.Add({{"outcome", name_text(verdict.outcome)}, {"provider", provider}}).Increment();
    if (!verdict.comparison || step.candidate.predicted_high <= 0) continue;
    const double ratio = verdict.comparison->ratio;
    const bool held =
        step.candidate.predicted_low <= ratio && ratio <= step.candidate.predicted_high;
    predictions.Add({{"provider", provider}, {"held", held ? "true" : "false"}}).Increment();
  }
  count_models(episode);
}

void Metrics::job_ended(const Job& job) {
  families_->jobs.Add({{"state", name_text(job.state)}}).Increment();
  const prometheus::Labels provider{{"provider", name_text(job.request.provider)}};
  families_->active.Add(provider, job_buckets()).Observe(job.spent.seconds);
  families_->device.Add(provider, job_buckets()).Observe(job.spent.gpu_seconds);
  if (job.episode) families_->count_episode(*job.episode);
}

void Metrics::request_answered(std::string_view method, bool succeeded, double seconds) {
  MethodFigures figures = families_->methods.with([&](auto& methods) {
    auto found = methods.find(method);
    if (found == methods.end()) found = methods.emplace(std::string(method), MethodFigures{}).first;
    prometheus::Counter*& counter = found->second.answers.at(succeeded ? 1 : 0);
    if (counter == nullptr) {
      counter = &families_->requests.Add(
          {{"method", found->first}, {"result", succeeded ? "ok" : "error"}});
    }
    if (found->second.seconds == nullptr) {
      found->second.seconds =
          &families_->request_seconds.Add({{"method", found->first}}, latency_buckets());
    }
    return found->second;
  });
  figures.answers.at(succeeded ? 1 : 0)->Increment();
  figures.seconds->Observe(seconds);
  if (method == "kb.search") families_->search_seconds.Add({}, latency_buckets()).Observe(seconds);
}

void Metrics::web_request_answered(std::string_view path, int status, double seconds) {
  families_->web.Add({{"path", std::string(path)}, {"status", std::to_string(status)}}).Increment();
  families_->web_seconds.Add({{"path", std::string(path)}}, latency_buckets()).Observe(seconds);
}

std::string Metrics::text(const MetricsNow& now) {
  Families& all = *families_;
  return all.asking.with([&](int&) {
    all.uptime.Add({}).Set(now.uptime_s);
    all.queued.Add({}).Set(static_cast<double>(now.queued));
    all.running.Add({}).Set(static_cast<double>(now.running));
    all.connections.Add({}).Set(static_cast<double>(now.connections));
    all.sessions.Add({}).Set(static_cast<double>(now.sessions));
    Families::raise_to(all.lane_busy, {}, now.lane_busy_s);
    all.degraded.Add({}).Set(now.degraded ? 1 : 0);
    all.disk.Add({}).Set(static_cast<double>(now.base_disk_bytes));
    for (const auto& [family, count] : now.base_records) {
      all.entries.Add({{"family", family}}).Set(static_cast<double>(count));
    }
    for (const auto& [name, value] : now.engine) all.engine.Add({{"figure", name}}).Set(value);
    all.resident.Add({}).Set(now.resident_bytes);
    all.descriptors.Add({}).Set(now.open_descriptors);
    all.threads.Add({}).Set(now.threads);
    Families::raise_to(all.spans, {{"result", "sent"}}, static_cast<double>(now.spans_sent));
    Families::raise_to(all.spans, {{"result", "dropped"}}, static_cast<double>(now.spans_dropped));
    return prometheus::TextSerializer().Serialize(all.registry.Collect());
  });
}

}  // namespace warpmind::daemon
