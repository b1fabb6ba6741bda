#include "daemon/telemetry/otlp_exporter.h"

#include "base/http/http_exchange.h"
#include "base/http/service_address.h"
#include "base/log.h"
#include "base/sleep.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr int kAttempts = 3;
constexpr std::size_t kAnswerBytes = std::size_t{64} * 1024;
constexpr long kOk = 200;
constexpr long kRedirect = 300;
constexpr long kTooMany = 429;
constexpr long kServerError = 500;

/// What a collector says is not read.
class Ignored final : public HttpBody {
 public:
  Result<void> take(const HttpHead& /*head*/, std::string_view /*bytes*/) override { return {}; }
  [[nodiscard]] bool finished() const override { return false; }
};

enum class Sent { taken, refused, may_pass };

}  // namespace

class OtlpExporter::State {
 public:
  State(OtlpOptions options, const std::string& url)
      : options_(std::move(options)),
        exchange_({url, {}, {}}),
        worker_([this](const std::stop_token& stop) { work(stop); }) {}

  ~State() {
    worker_.request_stop();
    worker_.join();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add(std::vector<Span> spans) {
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.size() + spans.size() > options_.most_waiting) {
        dropped_ += spans.size();
        return;
      }
      std::move(spans.begin(), spans.end(), std::back_inserter(waiting_));
    }
    changed_.notify_one();
  }
  [[nodiscard]] std::uint64_t sent() const {
    const std::scoped_lock lock(mutex_);
    return sent_;
  }
  [[nodiscard]] std::uint64_t dropped() const {
    const std::scoped_lock lock(mutex_);
    return dropped_;
  }

 private:
  void work(const std::stop_token& stop) {
    for (;;) {
      auto batch = next(stop);
      if (batch.empty()) return;
      if (!stop.stop_requested()) deliver(batch, stop);
      if (!stop.stop_requested()) continue;
      // The last word; whoever does not take it in time does not get it.
      const bool taken = !batch.empty() && send(batch, options_.farewell, {}) == Sent::taken;
      settle(batch.size(), taken);
      const std::scoped_lock lock(mutex_);
      dropped_ += waiting_.size();
      return;
    }
  }

  /// Waits for spans; empty when the end came and nothing is left.
  std::vector<Span> next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    (void)changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    const std::size_t count = std::min(waiting_.size(), options_.most_at_once);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Span> batch(std::make_move_iterator(waiting_.begin()),
                            std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return batch;
  }

  /// Empties `batch` when nothing more is to be done for it.
  void deliver(std::vector<Span>& batch, const std::stop_token& stop) {
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      const Sent sent = send(batch, options_.request, stop);
      if (stop.stop_requested() && sent == Sent::may_pass) return;
      if (sent != Sent::may_pass || attempt == kAttempts) {
        settle(batch.size(), sent == Sent::taken);
        tell(sent);
        batch.clear();
        if (sent == Sent::may_pass) sleep_for(options_.pause, stop);
        return;
      }
      sleep_for(options_.pause, stop);
      if (stop.stop_requested()) return;
    }
  }

  Sent send(const std::vector<Span>& batch, std::chrono::milliseconds most,
            const std::stop_token& stop) {
    HttpLimits limits;
    limits.connect = std::min(options_.connect, most);
    limits.total = most;
    limits.answer_bytes = kAnswerBytes;
    Ignored answer;
    HttpHead head;
    const auto posted =
        exchange_.post(trace_request(batch, options_.source), limits, answer, head, stop);
    if (!posted && head.status == 0) return Sent::may_pass;
    if (head.status >= kOk && head.status < kRedirect) return Sent::taken;
    return head.status == kTooMany || head.status >= kServerError ? Sent::may_pass : Sent::refused;
  }

  void settle(std::size_t spans, bool taken) {
    const std::scoped_lock lock(mutex_);
    (taken ? sent_ : dropped_) += spans;
  }

  /// One line when it begins to fail and one when it works again.
  void tell(Sent sent) {
    const bool fails = sent != Sent::taken;
    if (fails == failing_) return;
    failing_ = fails;
    if (fails) {
      log::warn("daemon", "traces are not taken; they are dropped, work goes on",
                {{"endpoint", options_.endpoint}});
    } else {
      log::info("daemon", "traces are taken", {{"endpoint", options_.endpoint}});
    }
  }

  const OtlpOptions options_;
  const HttpExchange exchange_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Span> waiting_;
  std::uint64_t sent_ = 0;
  std::uint64_t dropped_ = 0;
  bool failing_ = false;  // the worker's alone
  std::jthread worker_;
};

OtlpExporter::OtlpExporter(std::unique_ptr<State> state) : state_(std::move(state)) {}
OtlpExporter::~OtlpExporter() = default;

Result<std::unique_ptr<OtlpExporter>> OtlpExporter::open(OtlpOptions options) {
  WARPMIND_TRY(const auto address, resolve_service(options.endpoint, "/traces", false,
                                                   {"otlp.endpoint", "otlp.endpoint"}));
  auto state = std::make_unique<State>(std::move(options), address.url);
  return std::unique_ptr<OtlpExporter>(new OtlpExporter(std::move(state)));
}

void OtlpExporter::add(std::vector<Span> spans) { state_->add(std::move(spans)); }
std::uint64_t OtlpExporter::sent() const { return state_->sent(); }
std::uint64_t OtlpExporter::dropped() const { return state_->dropped(); }

}  // namespace warpmind::daemon
