#include "daemon/handlers/record_handlers.h"

#include "agents/export/concur.h"
#include "agents/export/trajectories.h"
#include "agents/export/verify_export.h"
#include "agents/first_advice.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/input_ranges.h"
#include "base/part.h"
#include "base/text.h"
#include "config/device_table.h"
#include "daemon/handlers/episode_figures.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/handlers/stored_episodes.h"
#include "daemon/protocol/record_messages.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/insights/reflection.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <set>

namespace warpmind::daemon {
namespace {

using knowledge_base::InsightLibrary;
using knowledge_base::KnowledgeStore;
using protocol::EpisodeExplainParams;
using protocol::EpisodeExplainResult;
using protocol::ExplainedInsight;

Result<ExplainedInsight> explained(const InsightLibrary& library, const InsightId& id) {
  ExplainedInsight one;
  one.id = id;
  auto found = library.find(id.str());
  if (!found) {
    if (found.error().code == Errc::not_found) return one;
    return fail(std::move(found).error());
  }
  return ExplainedInsight{std::move(part<InsightSummary>(*found)), true};
}

/// That the episode ran on, as far as the table knows it.
Result<DeviceSpec> episode_device(const Episode& episode) {
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  for (const auto& step : episode.steps) {
    if (!step.verdict.measurement) continue;
    return table.match(step.verdict.measurement->device).value_or(DeviceSpec{});
  }
  return DeviceSpec{};
}

/// About the kernel that the step edited, or the given one.
Result<std::optional<FirstAdvice>> advice_at(const Job& job, std::size_t position) {
  const Episode& episode = *job.episode;
  const Bottleneck* const state =
      position == 0 ? state_of_given(episode) : &episode.steps[position].before;
  if (state == nullptr || job.request.task.name.empty()) return std::optional<FirstAdvice>();
  const std::size_t edited = position == 0 ? 0 : knowledge_base::edited_step(episode, position);
  WARPMIND_TRY(const DeviceSpec device, episode_device(episode));
  const Advice nothing_measured;
  return std::optional(
      agents::advise_first({job.request.task, episode.steps[edited].candidate.kernel, *state,
                            nothing_measured, device}));
}

Result<EpisodeExplainResult> explain(const KnowledgeStore& store, const InsightLibrary& library,
                                     const EpisodeExplainParams& params) {
  WARPMIND_TRY(Job job, job_with_episode(store, params.id));
  const auto steps = std::ssize(job.episode->steps);
  if (params.step && (*params.step < 0 || *params.step >= steps)) {
    return fail(Errc::not_found, job.episode->id.str() + " has no step " +
                                     std::to_string(*params.step) + "; it has " +
                                     std::to_string(steps) + ", counted from 0");
  }
  EpisodeExplainResult result;
  result.job_id = job.id.str();
  result.state = job.state;
  result.budget = job.request.budget;
  result.step = params.step;
  result.inputs = describe_inputs(job.request.task);
  if (params.step) {
    WARPMIND_TRY(result.advice, advice_at(job, static_cast<std::size_t>(*params.step)));
  }
  std::set<InsightId> seen;
  for (const auto& step : job.episode->steps) {
    for (const auto& exposure : step.exposures) {
      if (!seen.insert(exposure.insight).second) continue;
      WARPMIND_TRY(auto one, explained(library, exposure.insight));
      result.insights.push_back(std::move(one));
    }
  }
  result.episode = std::move(*job.episode);
  return result;
}

}  // namespace

void add_explain_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  const auto& store = access.base.store();
  const auto& library = access.base.insights();
  dispatcher.add(protocol::kEpisodeExplain, Execution::pool,
                 [&store, &library](const EpisodeExplainParams& params, RequestContext&) {
                   return explain(store, library, params);
                 });
}

namespace {

using agents::ExportOptions;
using agents::HeldOut;
using agents::SourceEpisode;
using agents::TrajectoryFormat;
using knowledge_base::KnowledgeStore;
using knowledge_base::PackExchange;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

/// Everything is held in memory: kernels and conversations of a very large base would not fit.
constexpr std::size_t kMostBytes = std::size_t{512} * 1024 * 1024;
constexpr double kLargestFactor = 1000;

tl::unexpected<Error> unknown_word(const char* parameter, const std::string& word,
                                   const std::vector<std::string_view>& known) {
  return fail(Errc::invalid_argument,
              std::string("'") + parameter + "' does not know " + quoted_name(word) +
                  config::suggestion(std::string_view(word).substr(0, 64), known));
}

Result<double> factor(const char* parameter, std::optional<double> value, double otherwise) {
  const double given = value.value_or(otherwise);
  if (given >= 0 && given <= kLargestFactor) return given;  // false for NaN, too
  return fail(Errc::invalid_argument, std::string("'") + parameter +
                                          "' must be at least 0 and at most 1000, not " +
                                          std::to_string(given));
}

Result<ExportOptions> options_of_export(const ExportWriteParams& params) {
  ExportOptions options;
  if (params.kind != "trajectories" && params.kind != "concur") {
    return unknown_word("kind", params.kind, {"trajectories", "concur"});
  }
  const bool traces = params.kind == "concur";
  if (traces && !params.format.empty()) {
    return fail(Errc::invalid_argument, "'format' is for trajectories; leave it out for concur");
  }
  if (!traces && (params.threshold || params.balance)) {
    return fail(Errc::invalid_argument,
                "'threshold' and 'balance' are for concur; leave them out for trajectories");
  }
  if (params.format == "chat") options.format = TrajectoryFormat::chat;
  if (!params.format.empty() && params.format != "chat" && params.format != "kevin") {
    return unknown_word("format", params.format, {"kevin", "chat"});
  }
  if (!params.provider.empty()) {
    WARPMIND_TRY(options.provider, enum_of<Provider>("provider", params.provider));
  }
  WARPMIND_TRY(options.threshold, factor("threshold", params.threshold, options.threshold));
  WARPMIND_TRY(options.balance, factor("balance", params.balance, options.balance));
  return options;
}

/// The base says its id in the packs that it writes: an almost empty one is made beside `file`.
Result<std::string> id_of_base(const PackExchange& packs, const std::filesystem::path& file) {
  WARPMIND_TRY(const auto scratch, ScratchDirectory::create(file.parent_path(), ".warpmind"));
  knowledge_base::PackExportOptions nothing;
  nothing.spaces = {"none"};
  nothing.licences = {"none"};
  WARPMIND_TRY(const auto report, packs.export_pack(scratch.path() / "empty.jsonl", nothing));
  return report.origin;
}

SourceEpisode source_of(Job job) {
  SourceEpisode source;
  source.episode = std::move(*job.episode);
  source.heldout_twin = agents::heldout_twin(std::move(job.request.task));
  for (auto& step : source.episode.steps) {
    // Not exported, and the larger part of a record.
    step.verdict.profile.reset();
    step.verdict.build.reset();
  }
  return source;
}

Result<void> add_exchanges(const KnowledgeStore& store, SourceEpisode& source) {
  auto& steps = source.episode.steps;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    WARPMIND_TRY(auto exchanges, exchanges_of(store, source.episode, at));
    source.exchanges.push_back(std::move(exchanges));
    steps[at].exchanges.clear();
  }
  return {};
}

std::size_t bytes_of(const SourceEpisode& source) {
  std::size_t bytes = 0;
  for (const auto& step : source.episode.steps) bytes += step.candidate.kernel.source.size();
  for (const auto& exchanges : source.exchanges) {
    for (const auto& e : exchanges) bytes += e.prompt.size() + e.reasoning.size() + e.answer.size();
  }
  return bytes;
}

struct Collected {
  std::vector<SourceEpisode> sources;
  HeldOut held_out;  ///< of all episodes, also of those before `since`
};

Result<Collected> collect(const KnowledgeStore& store, std::int64_t since,
                          const std::stop_token& stop) {
  Collected all;
  std::size_t bytes = 0;
  const auto take = [&](std::int64_t number, Job job) -> Result<void> {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the export was stopped");
    SourceEpisode source = source_of(std::move(job));
    all.held_out.add(source);
    if (number < since) return {};
    WARPMIND_CHECK(add_exchanges(store, source));
    bytes += bytes_of(source);
    if (bytes > kMostBytes) {
      return fail(Errc::invalid_argument, "the episodes since " + std::to_string(since) +
                                              " hold more than " +
                                              std::to_string(kMostBytes / 1024 / 1024) +
                                              " MiB; export them in parts, with a later 'since'");
    }
    all.sources.push_back(std::move(source));
    return {};
  };
  WARPMIND_CHECK(visit_episodes(store, take));
  return all;
}

struct ExportSources {
  const KnowledgeStore& store;
  const PackExchange& packs;
};

Result<ExportWriteResult> write_export(const ExportSources& from, const ExportWriteParams& params,
                                       const std::stop_token& stop) {
  WARPMIND_TRY(ExportOptions options, options_of_export(params));
  WARPMIND_TRY(const std::int64_t since,
               within("since", params.since.value_or(1), 1, 9'999'999'999));
  WARPMIND_TRY(const auto file, new_file("file", params.file));
  WARPMIND_TRY(options.base_id, id_of_base(from.packs, file));
  WARPMIND_TRY(const Collected all, collect(from.store, since, stop));
  const auto made = params.kind == "concur"
                        ? agents::export_concur(all.sources, all.held_out, options)
                        : agents::export_trajectories(all.sources, all.held_out, options);
  WARPMIND_CHECK(write_output_file(file, made.text));
  return ExportWriteResult{part<ExportCounts>(made), file.string(),
                           static_cast<std::int64_t>(made.text.size()), to_hex(sha256(made.text))};
}

bool is_pack(std::string_view text) {
  const auto head = text.substr(0, text.find('\n'));
  return head.starts_with("{\"") && head.find("\"warpmind-pack\"") != std::string_view::npos;
}

Result<ExportVerifyResult> verify_file(const KnowledgeStore& store, const std::string& name,
                                       const std::stop_token& stop) {
  WARPMIND_TRY(const auto file, readable_path("file", name));
  // Not moved out of its Result: at -O2, g++ 12 takes such a string for uninitialised.
  const auto text = read_file(file, 2 * kMostBytes);
  if (!text) return fail(text.error());
  if (is_pack(*text)) {
    return fail(Errc::invalid_argument,
                file.string() + " is a pack; `warpmind kb import` checks it before it takes it in");
  }
  WARPMIND_TRY(const Collected all, collect(store, std::int64_t{10'000'000'000}, stop));
  auto check = agents::verify_export(*text, all.held_out);
  return ExportVerifyResult{check.lines,
                            check.problems,
                            std::move(check.notes),
                            {check.schemas.begin(), check.schemas.end()}};
}

}  // namespace

void add_export_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  const ExportSources from{access.base.store(), access.base.packs()};
  dispatcher.add(protocol::kExportWrite, Execution::slow,
                 [from](const ExportWriteParams& params, RequestContext& context) {
                   return write_export(from, params, context.stop);
                 });
  dispatcher.add(protocol::kExportVerify, Execution::slow,
                 [from](const ExportVerifyParams& params, RequestContext& context) {
                   return verify_file(from.store, params.file, context.stop);
                 });
}

}  // namespace warpmind::daemon
