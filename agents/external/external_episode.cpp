#include "agents/external/external_episode.h"

#include "agents/first_advice.h"
#include "agents/search/move_scoring.h"
#include "base/input_ranges.h"
#include "base/model/verdict_reading.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmind::agents {
namespace {

constexpr std::size_t kMostSource = std::size_t{1} << 20U;  // bytes
constexpr std::size_t kMostText = 2000;

std::string contract_text(const Task& task) {
  const Contract& contract = task.contract;
  std::string text = "tolerance class " + std::string(name_of(contract.tolerance)) +
                     ", sums accumulate at least as well as " +
                     std::string(name_of(contract.accumulate));
  if (contract.tf32_allowed) text += ", tf32 is allowed";
  text += contract.deterministic ? ", results must repeat bit for bit"
                                 : ", results may differ from run to run within the tolerance";
  if (task.reference.empty()) {
    text +=
        ", the given kernel is the reference: an element may be off by "
        "8 (16 bits) or 1024 (f32, f64) roundoffs of its 128 neighbours' size, and by what "
        "rounding alone makes of it";
  }
  const std::string draws = describe_draws(task);
  if (!draws.empty()) text += "; inputs are drawn from: " + draws;
  return text;
}

constexpr const char* kWaits =
    "blocks that wait for blocks which may not have begun, in a launch without \"cooperative\": "
    "true; grid.sync() and barriers over the grid need it, tickets of an atomic counter do not";

/// In the words of the static stage; docs/redteam.md says how it is tested.
std::vector<std::string> forbidden_things() {
  return {"files, sockets, environment, processes, threads, inline PTX that reads clocks",
          "memory or results kept from one run to the next",
          "work left out, outputs copied from elsewhere, shapes written into the code",
          "libraries that the task does not name",
          kWaits,
          "less precise arithmetic than the contract allows"};
}

std::vector<Metric> metrics_of(const Verdict& verdict) {
  const KernelProfile* const launch =
      verdict.profile ? largest_launch(verdict.profile->kernels) : nullptr;
  return launch == nullptr ? std::vector<Metric>() : launch->metrics;
}

std::vector<LaunchRow> launches_of(const Verdict& verdict) {
  std::vector<LaunchRow> rows;
  if (!verdict.profile) return rows;
  for (const auto& launch : verdict.profile->kernels) {
    rows.push_back(launch_row(*verdict.profile, launch));
  }
  return rows;
}

Result<void> check_text(const char* what, const std::string& text) {
  if (text.size() <= kMostText) return {};
  return fail(Errc::invalid_argument, std::string("'") + what + "' has " +
                                          std::to_string(text.size()) + " bytes; at most " +
                                          std::to_string(kMostText) + " are taken");
}

}  // namespace

ExternalEpisode::ExternalEpisode(EpisodeParts parts, knowledge_base::KnowledgeStore& store, Job job,
                                 std::stop_token stop)
    : parts_(parts),
      store_(store),
      job_(std::move(job)),
      control_{{{}, std::move(stop)}},
      session_(parts_, job_, control_) {}

Result<bool> ExternalEpisode::open() {
  const std::scoped_lock lock(mutex_);
  WARPMIND_TRY(auto draft, store_.find_draft(session_.episode().id));
  bool can_be_improved = true;
  if (draft) {
    WARPMIND_CHECK(session_.take_up(std::move(draft->episode)));
  } else {
    WARPMIND_TRY(can_be_improved, session_.open());
    WARPMIND_CHECK(keep());
  }
  is_open_ = true;
  return can_be_improved;
}

Result<void> ExternalEpisode::keep() {
  Draft draft;
  draft.episode = session_.draft();
  draft.epoch = job_.epoch;
  draft.job_spent = job_.spent;
  return store_.save_draft(draft);
}

Result<EpisodeBrief> ExternalEpisode::brief() {
  const std::scoped_lock lock(mutex_);
  if (!is_open_ || is_closed_) {
    return fail(Errc::conflict, job_.id.str() + " takes no more candidates");
  }
  const NodeIndex best = session_.incumbent();
  WARPMIND_TRY(const NodeKnowledge* known, session_.know(best));
  WARPMIND_CHECK(session_.recall_again(best));
  const Step& step = session_.episode().steps[known->step];
  EpisodeBrief brief;
  brief.job = job_.id;
  brief.episode = session_.episode().id;
  brief.step = step.index;
  brief.kernel = step.candidate.kernel;
  brief.best_ratio = std::exp(session_.tree().best_log_gain());
  brief.bottleneck = known->bottleneck;
  brief.metrics = metrics_of(step.verdict);
  brief.launches = launches_of(step.verdict);
  brief.advice = known->advice;
  brief.device = session_.device();
  const Task& task = job_.request.task;
  keep_what_fits({task, brief.kernel, brief.bottleneck, known->advice, brief.device}, brief.advice);
  if (const auto& last = session_.episode().steps.back().gradient) brief.gradient = last->text;
  brief.contract = contract_text(job_.request.task);
  brief.forbidden = forbidden_things();
  brief.evaluations_left = session_.budget().evaluations_left();
  return brief;
}

Result<Candidate> ExternalEpisode::candidate_of(const Submission& submission,
                                                std::size_t edited) const {
  if (!submission.source && !submission.plan && !submission.build_flags) {
    return fail(Errc::invalid_argument,
                "the submission changes nothing: give 'source', 'plan' or 'build_flags'");
  }
  if (submission.source && submission.source->size() > kMostSource) {
    return fail(Errc::invalid_argument,
                "the source has " + std::to_string(submission.source->size()) + " bytes; at most " +
                    std::to_string(kMostSource) + " are taken");
  }
  const double predicted_gain = submission.predicted_gain.value_or(1);
  if (!(predicted_gain > 0 && predicted_gain < 1e6)) {
    return fail(Errc::invalid_argument, "'predicted_gain' is a factor above 0, 1.3 = 1.3 x faster");
  }
  WARPMIND_CHECK(check_text("technique", submission.technique));
  WARPMIND_CHECK(check_text("parameters", submission.parameters));
  WARPMIND_CHECK(check_text("rationale", submission.rationale));
  WARPMIND_CHECK(check_text("author", submission.author));
  WARPMIND_CHECK(check_text("model", submission.model));
  Candidate candidate;
  candidate.kernel = session_.episode().steps[edited].candidate.kernel;
  candidate.parent = id_of(candidate.kernel);
  if (submission.source) candidate.kernel.source = *submission.source;
  if (submission.plan) candidate.kernel.plan = *submission.plan;
  if (submission.build_flags) candidate.kernel.build_flags = *submission.build_flags;
  candidate.proposer = submission.author.empty() ? "external" : submission.author;
  // Only the base measures its own kernels again; nobody else speaks in its name.
  if (candidate.proposer == "memory" || candidate.proposer == "task") {
    candidate.proposer = "external";
  }
  candidate.technique = submission.technique.empty() ? "free_form" : submission.technique;
  candidate.parameters = submission.parameters;
  candidate.rationale = submission.rationale;
  candidate.predicted_gain = predicted_gain;
  candidate.model = submission.model;
  return candidate;
}

Result<Feedback> ExternalEpisode::submit(const Submission& submission) {
  const std::scoped_lock lock(mutex_);
  if (!is_open_ || is_closed_) {
    return fail(Errc::conflict, job_.id.str() + " takes no more candidates");
  }
  return judge(submission);
}

Result<Feedback> ExternalEpisode::judge(const Submission& submission) {
  const std::int64_t best = session_.episode().best_step;
  const std::int64_t edited_step = submission.edits.value_or(best);
  const std::int64_t wanted = edited_step < 0 ? best : edited_step;
  const auto from = wanted < static_cast<std::int64_t>(session_.episode().steps.size())
                        ? session_.node_of(static_cast<std::size_t>(wanted))
                        : std::nullopt;
  if (!from) {
    return fail(Errc::invalid_argument,
                "'edits' names step " + std::to_string(wanted) + ", which is no right kernel of " +
                    job_.id.str() + "; leave it out for the best, step " + std::to_string(best));
  }
  WARPMIND_TRY(auto candidate, candidate_of(submission, static_cast<std::size_t>(wanted)));
  if (const auto known = session_.step_of(candidate.kernel)) {
    const Step& step = session_.episode().steps[*known];
    return Feedback{step.index, step, step.accepted, true};
  }
  if (auto refusal = session_.budget().refusal(); !refusal.empty()) {
    return fail(Errc::unavailable, refusal + "; close the episode");
  }
  WARPMIND_TRY(const NodeKnowledge* edited, session_.know(*from));
  const Move move{candidate.technique, candidate.parameters, candidate.predicted_gain};
  const auto prediction = prediction_of(scored(move, edited->advice));
  candidate.prior_gain = submission.predicted_gain.value_or(0);
  candidate.predicted_gain = prediction.gain;
  candidate.predicted_low = prediction.low;
  candidate.predicted_high = prediction.high;
  const EdgeIndex edge = session_.tree().start(*from, move, {});
  WARPMIND_TRY(const auto judged, session_.judge(edge, Writing{std::move(candidate)}));
  if (judged.known) {
    const Step& step = session_.episode().steps[*judged.known];
    return Feedback{step.index, step, step.accepted, true};
  }
  if (!judged.was_judged()) return fail(Errc::cancelled, "stopped before the candidate was judged");
  WARPMIND_CHECK(keep());
  const Step& step = session_.episode().steps[*judged.step];
  return Feedback{step.index, step, judged.accepted, false};
}

Result<Episode> ExternalEpisode::close(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (is_closed_) return fail(Errc::conflict, job_.id.str() + " is closed already");
  if (!is_open_) return fail(Errc::conflict, job_.id.str() + " was never opened");
  WARPMIND_TRY(Episode episode, session_.close(why));
  is_closed_ = true;
  job_.state = JobState::done;
  WARPMIND_TRY(const auto receipt, store_.commit(episode, job_));
  job_.receipt = receipt;
  return episode;
}

}  // namespace warpmind::agents
