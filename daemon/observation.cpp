#include "daemon/observation.h"

#include "base/log.h"
#include "base/sequence.h"
#include "daemon/telemetry/job_spans.h"
#include "knowledge_base/knowledge_store.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kRemembered = 256;  // jobs whose end is told twice at most shortly after
constexpr const char* kExposition = "text/plain; version=0.0.4; charset=utf-8";

std::size_t entries_in(const char* folder) {
  std::error_code ec;
  const std::filesystem::directory_iterator all(folder, ec);
  return ec ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Of this process, as the kernel counts it.
void read_process(MetricsNow& now) {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  if (file >> pages >> resident) {
    now.resident_bytes = resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
  now.open_descriptors = static_cast<double>(entries_in("/proc/self/fd"));
  now.threads = static_cast<double>(entries_in("/proc/self/task"));
}

Result<std::unique_ptr<OtlpExporter>> open_traces(const Observation::Parts& parts) {
  const auto& settings = parts.settings.otlp;
  if (settings.endpoint.empty()) return std::unique_ptr<OtlpExporter>();
  OtlpOptions options;
  options.endpoint = settings.endpoint;
  options.source = {settings.service, parts.version};
  return OtlpExporter::open(std::move(options));
}

std::string model_provider(const config::Settings& settings) {
  return settings.llm.url.empty() ? std::string() : settings.llm.dialect;
}

}  // namespace

Result<std::unique_ptr<Observation>> Observation::create(Parts parts) {
  WARPMIND_TRY(auto traces, open_traces(parts));
  return std::unique_ptr<Observation>(new Observation(std::move(parts), std::move(traces)));
}

Observation::Observation(Parts parts, std::unique_ptr<OtlpExporter> traces)
    : parts_(std::move(parts)),
      started_(parts_.clock.monotonic()),
      metrics_(parts_.version, model_provider(parts_.settings)),
      traces_(std::move(traces)) {}

void Observation::on_event(const JobEvent& event) {
  if (note(event.progress)) ended(JobId(event.progress.job_id));
}

void Observation::ended(const JobId& id) {
  parts_.pool([this, id] { count(id); });
}

/// True when a job ended that was not counted yet.
bool Observation::note(const protocol::ProgressParams& progress) {
  const JobId id(progress.job_id);
  const auto now = parts_.clock.monotonic();
  return lane_.with([&](Lane& lane) {
    if (progress.state == JobState::running) {
      lane.at_work.try_emplace(id, now);
      return false;
    }
    if (const auto work = lane.at_work.find(id); work != lane.at_work.end()) {
      lane.busy += now - work->second;
      lane.at_work.erase(work);
    }
    if (!is_final(progress.state)) return false;
    if (contains(lane.ended, id)) return false;
    lane.ended.push_back(id);
    if (lane.ended.size() > kRemembered) lane.ended.pop_front();
    return true;
  });
}

void Observation::count(const JobId& id) {
  const auto job = parts_.base.store().find_job(id);
  if (!job || !*job) {
    log::warn("daemon", "a job that ended could not be counted", {{"job", id}});
    return;
  }
  metrics_.job_ended(**job);
  if (traces_) traces_->add(spans_of(**job, model_provider(parts_.settings)));
}

double Observation::lane_busy_s() const {
  const auto now = parts_.clock.monotonic();
  return lane_.with([now](const Lane& lane) {
    auto busy = lane.busy;
    for (const auto& [job, since] : lane.at_work) busy += now - since;
    return std::chrono::duration<double>(busy).count();
  });
}

void Observation::read_base(MetricsNow& now) const {
  now.engine = parts_.base.engine_figures();
  const auto statistics = parts_.base.store().statistics();
  now.degraded = !statistics || statistics->degraded;
  if (!statistics) return;
  now.base_disk_bytes = statistics->disk_bytes;
  now.base_records = statistics->records;
}

void Observation::answer_metrics(const std::shared_ptr<http::Exchange>& exchange,
                                 const Scheduler& scheduler, const Counts& counts) {
  MetricsNow now;
  const auto queue = scheduler.summary();
  now.uptime_s = std::chrono::duration<double>(parts_.clock.monotonic() - started_).count();
  now.queued = queue.queued;
  now.running = queue.running;
  now.connections = counts.connections;
  now.sessions = counts.sessions;
  now.lane_busy_s = lane_busy_s();
  if (traces_) {
    now.spans_sent = traces_->sent();
    now.spans_dropped = traces_->dropped();
  }
  // The base may have to wait for its disk; an exchange is the io thread's.
  parts_.pool([this, held = exchange, now]() mutable {
    read_base(now);
    read_process(now);
    parts_.io([exchange = std::move(held), text = metrics_.text(now)] {
      exchange->reply({200, kExposition, {}, text});
    });
  });
}

void Observation::serve(http::Router& router, const Scheduler& scheduler,
                        const std::function<Counts()>& counts) {
  using Shared = std::shared_ptr<http::Exchange>;
  using http::Access;
  router.add(
      "/metrics", "GET",
      [this, &scheduler, counts](const Shared& exchange) {
        answer_metrics(exchange, scheduler, counts());
      },
      Access::figures);
  // Without a token: that the daemon is there, and whether it is well; nothing else.
  router.add(
      "/healthz", "GET",
      [this](const Shared& exchange) {
        exchange->reply(http::plain_reply(200, parts_.health.degraded() ? "degraded" : "ok"));
      },
      Access::open);
  router.add(
      "/readyz", "GET",
      [this, counts](const Shared& exchange) {
        const bool ready = !parts_.health.degraded() && !counts().stopping;
        exchange->reply(http::plain_reply(ready ? 200 : 503, ready ? "ok" : "degraded"));
      },
      Access::open);
}

}  // namespace warpmind::daemon
