#include "daemon/telemetry/job_spans.h"

#include "base/hash.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr std::size_t kLongestName = 128;
constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;

/// Names come from tasks, models and servers.
std::string cut(const std::string& text) { return text.substr(0, kLongestName); }

std::int64_t ns_of(double seconds) {
  return std::isfinite(seconds) && seconds > 0 ? std::llround(seconds * 1e9) : 0;
}

/// Makes spans of one trace.
class Trace {
 public:
  Trace(const Job& job, std::string provider)
      : job_(job), model_provider_(std::move(provider)), seed_(seed_of(job)) {}

  std::vector<Span> spans() {
    const Span job = job_span();
    spans_.push_back(job);
    if (job_.episode) add_episode(*job_.episode, job);
    return std::move(spans_);
  }

 private:
  static std::string seed_of(const Job& job) {
    return hash_input({job.id.str(), std::to_string(job.submitted.value), std::to_string(job.epoch),
                       job.request.task.id.str()});
  }

  Span make(std::string name, const std::string& parent, std::int64_t start, std::int64_t end) {
    Span span;
    span.trace_id = short_hash(hash_input({"trace", seed_}), kTraceDigits);
    span.span_id = short_hash(hash_input({"span", seed_, std::to_string(++count_)}), kSpanDigits);
    span.parent_id = parent;
    span.name = std::move(name);
    span.start_ns = start;
    span.end_ns = std::max(start, end);
    return span;
  }

  Span job_span() {
    std::int64_t start = job_.submitted.value;
    std::int64_t end = start;
    if (job_.episode) end = job_.episode->finished.value;
    if (!job_.history.empty()) {
      const Attempt& last = job_.history.back();
      start = last.started.value;
      end = std::max(end, last.ended.value_or(last.started).value);
    }
    Span span = make("job", {}, start * kNsOfMs, end * kNsOfMs);
    span.failed = job_.state == JobState::failed;
    span.attributes = {
        {"warpmind.job.id", job_.id.str()},
        {"warpmind.job.state", std::string(name_of(job_.state))},
        {"warpmind.job.attempts", job_.attempts},
        {"warpmind.job.background", job_.request.terms.background},
        {"warpmind.job.queued_s", static_cast<double>(start - job_.submitted.value) / 1000},
        {"warpmind.task", cut(job_.request.task.name)},
        {"warpmind.provider", std::string(name_of(job_.request.provider))}};
    return span;
  }

  void add_episode(const Episode& episode, const Span& job) {
    Span span = make("episode", job.span_id, episode.started.value * kNsOfMs,
                     episode.finished.value * kNsOfMs);
    span.attributes = {{"warpmind.episode.id", episode.id.str()},
                       {"warpmind.outcome", std::string(name_of(episode.outcome))},
                       {"warpmind.provider", std::string(name_of(episode.provider))},
                       {"warpmind.policy", cut(episode.policy)},
                       {"warpmind.proposer", cut(episode.proposer)},
                       {"warpmind.seed", std::to_string(episode.seed)}};
    if (episode.best_against_baseline) {
      span.attributes.emplace_back("warpmind.speedup", episode.best_against_baseline->ratio);
    }
    const std::string parent = span.span_id;
    std::int64_t at = span.start_ns;
    spans_.push_back(std::move(span));
    for (const auto& step : episode.steps) at = add_step(step, parent, at);
  }

  /// Returns where the next step begins.
  std::int64_t add_step(const Step& step, const std::string& episode, std::int64_t at) {
    const std::int64_t chat_ns = ns_of(step.spending.seconds);
    std::int64_t end = at + chat_ns;
    for (const auto& stage : step.verdict.stages) end += ns_of(stage.seconds);
    Span span = make("step", episode, at, end);
    span.attributes = {{"warpmind.step", step.index},
                       {"warpmind.technique", cut(step.candidate.technique)},
                       {"warpmind.bottleneck", std::string(name_of(step.before.primary))},
                       {"warpmind.outcome", std::string(name_of(step.verdict.outcome))},
                       {"warpmind.accepted", step.accepted},
                       {"warpmind.laid_out", true}};
    if (step.verdict.comparison) {
      span.attributes.emplace_back("warpmind.ratio", step.verdict.comparison->ratio);
    }
    const std::string parent = span.span_id;
    spans_.push_back(std::move(span));
    if (step.spending.calls > 0) add_chat(step, parent, at);
    at += chat_ns;
    for (const auto& stage : step.verdict.stages) {
      const std::int64_t stage_end = at + ns_of(stage.seconds);
      Span part = make(std::string(name_of(stage.stage)), parent, at, stage_end);
      part.attributes = {{"warpmind.passed", stage.passed}, {"warpmind.laid_out", true}};
      spans_.push_back(std::move(part));
      at = stage_end;
    }
    return end;
  }

  /// Attributes by the conventions for generative models (in development; names of 2026-06).
  void add_chat(const Step& step, const std::string& parent, std::int64_t at) {
    const ModelSpending& spent = step.spending;
    const std::string model = cut(step.candidate.model);
    Span chat =
        make(model.empty() ? "chat" : "chat " + model, parent, at, at + ns_of(spent.seconds));
    chat.kind = SpanKind::client;
    chat.attributes = {{"gen_ai.operation.name", std::string("chat")},
                       {"gen_ai.provider.name", model_provider_},
                       {"gen_ai.request.model", cut(job_.request.model)},
                       {"gen_ai.response.model", model},
                       {"gen_ai.conversation.id", job_.id.str()},
                       {"gen_ai.usage.input_tokens",
                        spent.input_tokens + spent.cached_tokens + spent.written_tokens},
                       {"gen_ai.usage.output_tokens", spent.output_tokens},
                       {"warpmind.llm.requests", spent.calls},
                       {"warpmind.llm.cost_usd", static_cast<double>(spent.micro_usd) * 1e-6},
                       {"warpmind.laid_out", true}};
    spans_.push_back(std::move(chat));
  }

  const Job& job_;
  std::string model_provider_;
  std::string seed_;
  std::int64_t count_ = 0;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> spans_of(const Job& job, const std::string& model_provider) {
  return Trace(job, model_provider).spans();
}

}  // namespace warpmind::daemon
