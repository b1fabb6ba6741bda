#include "agents/episode_session.h"

#include "agents/diagnosis.h"
#include "agents/gradient/claim_check.h"
#include "agents/search/kernel_key.h"
#include "agents/search/move_scoring.h"
#include "agents/turn_credit.h"
#include "base/job_names.h"
#include "base/limit.h"
#include "base/model/verdict_reading.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmind::agents {
namespace {

/// Within 5 % of the limit, measuring tells nothing apart any more.
constexpr double kAtLimit = 1.05;
/// Moves asked about in one recall.
constexpr std::size_t kMostMoves = 256;
/// A bottleneck that is only taken over from the edited kernel is half as sure.
constexpr double kInherited = 0.5;

std::vector<RetrievedInsight> values_of(const std::map<InsightId, RetrievedInsight>& insights) {
  std::vector<RetrievedInsight> values;
  values.reserve(insights.size());
  for (const auto& [id, insight] : insights) values.push_back(insight);
  return values;
}

CandidateEnd end_of(Outcome outcome) {
  if (says_nothing(outcome)) return CandidateEnd::unknown;
  if (outcome == Outcome::build_failed) return CandidateEnd::unbuildable;
  return is_failure(outcome) ? CandidateEnd::wrong : CandidateEnd::measured;
}

}  // namespace

EpisodeSession::EpisodeSession(const EpisodeParts& parts, const Job& job, const RunControl& control)
    : parts_(parts),
      job_(job),
      shown_task_(shown_part(job.request.task)),
      control_(control),
      budget_(job.request.budget, parts.clock) {
  episode_ = start_episode(job, parts.lab.provider(), parts.clock.wall());
}

const Step& EpisodeSession::step_of(NodeIndex node) const {
  return episode_.steps[steps_.at(node)];
}

double EpisodeSession::baseline_error() const {
  const auto& correctness = episode_.steps.front().verdict.correctness;
  return correctness ? correctness->baseline_error : 0;
}

Result<bool> EpisodeSession::open() {
  report_stage(nullptr, "starting");
  const Task& task = job_.request.task;
  Step step;
  step.candidate.kernel = task.kernel;
  step.candidate.proposer = "task";
  step.candidate.rationale = "the kernel as given";
  profilers::JudgeOrder order{task, task.kernel};
  order.on_stage = [&](Stage stage) { report_stage(nullptr, doing(stage, parts_.lab.provider())); };
  order.effort = job_.request.effort;
  WARPMIND_TRY(step.verdict, parts_.lab.judge(order, control_.stop));
  step.accepted = true;
  const bool is_right = step.verdict.outcome == Outcome::same;
  budget_.judged_baseline(device_seconds(step.verdict, episode_.provider));
  plant(step);
  report("the given kernel: " + step.verdict.reason, Worth::milestone);
  episode_.steps.push_back(std::move(step));
  identify();
  if (!is_right) return false;
  WARPMIND_TRY(const NodeKnowledge* given, know(SearchTree::kRoot));
  report(describe_memory(given->advice), Worth::milestone);
  return true;
}

void EpisodeSession::plant(const Step& given) {
  tree_ = std::make_unique<SearchTree>(kernel_key(given.candidate.kernel));
  steps_[SearchTree::kRoot] = 0;
  by_machine_code_.clear();
  note_machine_code(given, SearchTree::kRoot);
}

void EpisodeSession::identify() {
  const auto identity = parts_.lab.device();
  if (!identity) return;
  identity_ = *identity;
  if (const auto spec = parts_.devices.match(*identity)) device_ = *spec;
}

Result<void> EpisodeSession::take_up(Episode draft) {
  const auto damaged = [this](const char* why) {
    return fail(Errc::corrupt_data, "the draft of " + episode_.id.str() + " " + why);
  };
  WARPMIND_TRY(auto steps, begin_again(std::move(draft)));
  for (auto& step : steps) {
    const auto from =
        step.edited < 0 || step.edited >= static_cast<std::int64_t>(episode_.steps.size())
            ? std::nullopt
            : node_of(static_cast<std::size_t>(step.edited));
    if (!from) return damaged("edits a kernel that it does not hold");
    const Move move{step.candidate.technique, step.candidate.parameters};
    settle(tree_->start(*from, move, {}), std::move(step));
  }
  return {};
}

Result<std::vector<Step>> EpisodeSession::begin_again(Episode draft) {
  if (draft.steps.empty()) {
    return fail(Errc::corrupt_data, "the draft of " + draft.id.str() + " has no step");
  }
  std::vector<Step> steps = std::exchange(draft.steps, {});
  episode_ = std::move(draft);
  episode_.best_step = 0;
  plant(steps.front());
  budget_.judged_baseline(device_seconds(steps.front().verdict, episode_.provider));
  episode_.steps.push_back(std::move(steps.front()));
  identify();
  steps.erase(steps.begin());
  return steps;
}

void EpisodeSession::settle(EdgeIndex edge, Step step) {
  budget_.judged(device_seconds(step.verdict, episode_.provider));
  budget_.paid(step.spending);
  keep(edge, std::move(step));
}

void EpisodeSession::settle_duplicate(EdgeIndex edge, std::size_t position,
                                      const ModelSpending& spending) {
  budget_.paid(spending);
  tree_->finish(edge, kernel_key(episode_.steps[position].candidate.kernel), {});
}

Episode EpisodeSession::draft() const {
  Episode so_far = episode_;
  so_far.spending = budget_.spending();
  return so_far;
}

Result<const NodeKnowledge*> EpisodeSession::know(NodeIndex node) {
  const auto found = known_.find(node);
  if (found != known_.end()) return &found->second;
  NodeKnowledge& fresh = known_[node];
  fresh.step = steps_.at(node);
  const Step& step = episode_.steps[fresh.step];
  fresh.bottleneck = diagnose({job_.request.task, step.candidate.kernel, step.verdict, device_});
  if (!step.verdict.profile && fresh.step != 0) {
    // Screened kernels have no profile: what limited the edited kernel most likely still does.
    const double headroom = fresh.bottleneck.headroom;
    fresh.bottleneck = step.before;
    fresh.bottleneck.headroom = headroom;
    fresh.bottleneck.confidence *= kInherited;
    fresh.bottleneck.explanation += " (as of the kernel that was edited)";
  }
  report("bottleneck: " + fresh.bottleneck.explanation);
  if (auto recalled = recall_again(node); !recalled) {
    known_.erase(node);
    return fail(recalled.error());
  }
  if (parts_.memory.insights) report(describe_insights(fresh.advice));
  return &fresh;
}

Result<void> EpisodeSession::recall_again(NodeIndex node) {
  NodeKnowledge& known = known_.at(node);
  const Step& step = episode_.steps[known.step];
  const auto techniques = parts_.proposer.techniques();
  knowledge_base::RecallQuery query{job_.request.task, known.bottleneck.primary, identity_,
                                    parts_.lab.provider(), techniques};
  query.previous_technique = knowledge_base::technique_behind(step.candidate);
  for (const auto& move : parts_.proposer.moves(context(node))) {
    if (query.moves.size() == kMostMoves) break;
    if (!move.parameters.empty()) query.moves.emplace_back(move.technique, move.parameters);
  }
  if (step.verdict.measurement) query.toolkit = step.verdict.measurement->toolkit;
  if (parts_.memory.insights) {
    query.insights = situation_of(context(node), step.verdict, identity_);
    query.insights->techniques = techniques;
    query.insights->seed =
        seed_of(episode_.id, static_cast<std::int64_t>(episode_.steps.size() + node));
    query.insights->withhold = parts_.memory.withhold;
  }
  WARPMIND_TRY(known.advice, parts_.store.recall(query));
  known.recalled = episode_.steps.size();
  for (const auto& insight : known.advice.insights) {
    if (insight.shown) shown_[insight.id] = insight;
  }
  return {};
}

ProposalContext EpisodeSession::context(NodeIndex node) const {
  const NodeKnowledge& known = known_.at(node);
  return {shown_task_,      episode_.steps[known.step].candidate.kernel,
          known.bottleneck, known.advice,
          device_,          episode_.steps,
          known.step};
}

std::optional<NodeIndex> EpisodeSession::node_of(std::size_t position) const {
  const auto found = std::find_if(steps_.begin(), steps_.end(), [position](const auto& entry) {
    return entry.second == position;
  });
  if (found == steps_.end()) return std::nullopt;
  if (tree_->node(found->first).judgement.end != CandidateEnd::measured) return std::nullopt;
  return found->first;
}

std::optional<std::size_t> EpisodeSession::step_of(const Kernel& kernel) const {
  const auto node = tree_->find(kernel_key(kernel));
  if (!node) return std::nullopt;
  return steps_.at(*node);
}

std::optional<Candidate> EpisodeSession::remembered() const {
  const auto& memory = known_.at(SearchTree::kRoot).advice.remembered;
  if (!memory || step_of(memory->kernel)) return std::nullopt;
  return remembered_candidate(*memory, id_of(job_.request.task.kernel));
}

profilers::JudgeOrder EpisodeSession::order_for(const Candidate& candidate,
                                                const Step& edited) const {
  profilers::JudgeOrder order{job_.request.task, candidate.kernel, &edited.candidate.kernel,
                              baseline_error()};
  order.on_stage = [&](Stage stage) {
    report_stage(&candidate, doing(stage, parts_.lab.provider()));
  };
  order.loss_is_error = control_.may_start_again;
  order.refuse_new_spills = candidate.proposer == kBuiltinProposer;
  order.effort = job_.request.effort;
  return order;
}

Result<std::optional<NodeIndex>> EpisodeSession::judged_alike(const Candidate& candidate,
                                                              const Step& edited) const {
  if (auto node = tree_->find(kernel_key(candidate.kernel))) return node;
  WARPMIND_TRY(const auto code,
               parts_.lab.machine_code(order_for(candidate, edited), control_.stop));
  if (code.empty()) return std::optional<NodeIndex>();
  const auto found = by_machine_code_.find(machine_code_key(candidate.kernel, code));
  if (found == by_machine_code_.end()) return std::optional<NodeIndex>();
  return std::optional<NodeIndex>(found->second);
}

Result<Verdict> EpisodeSession::verdict_on(const Candidate& candidate, const Step& edited) {
  return parts_.lab.judge(order_for(candidate, edited), control_.stop);
}

/// Decides whether the candidate becomes the incumbent.
Result<void> EpisodeSession::promote(Step& step, std::size_t edited) {
  if (!is_better(step.verdict)) return {};
  const Step& incumbent = step_of(incumbent_);
  if (edited == steps_.at(incumbent_)) {
    step.accepted = true;
    return {};
  }
  const double expected = tree_->node(*node_of(edited)).judgement.log_gain +
                          std::log(step.verdict.comparison ? step.verdict.comparison->ratio : 1.0);
  if (expected <= tree_->best_log_gain()) return {};
  report_stage(&step.candidate, "comparing with the best");
  const profilers::JudgeOrder order{
      job_.request.task, step.candidate.kernel, &incumbent.candidate.kernel, baseline_error(), {}};
  WARPMIND_TRY(step.promotion, parts_.lab.compare(order, control_.stop));
  step.accepted = is_better(*step.promotion);
  return {};
}

Judgement EpisodeSession::judgement_of(const Step& step, NodeIndex from) const {
  Judgement judgement;
  judgement.end = end_of(step.verdict.outcome);
  if (judgement.end != CandidateEnd::measured) return judgement;
  const double parent = tree_->node(from).judgement.log_gain;
  const double best = tree_->best_log_gain();
  if (step.promotion) {
    const double gain = best + std::log(step.promotion->ratio);
    judgement.log_gain = step.accepted ? gain : std::min(gain, best);
    return judgement;
  }
  const auto& comparison = step.verdict.comparison;
  const double gain = comparison && comparison->ratio > 0 ? std::log(comparison->ratio) : 0;
  // A time that was not confirmed never counts as faster: screenings flatter.
  judgement.log_gain = parent + (is_better(step.verdict) ? gain : std::min(gain, 0.0));
  return judgement;
}

void EpisodeSession::criticise(Step& step, NodeIndex edited) {
  StepView view{shown_task_, device_, step_of(edited), step};
  if (step.verdict.profile) {
    view.after = diagnose({job_.request.task, step.candidate.kernel, step.verdict, device_});
  }
  step.gradient = builtin_.of_step(view);
}

Result<JudgedCandidate> EpisodeSession::judge(EdgeIndex edge, Writing writing) {
  JudgedCandidate judged;
  budget_.paid(writing.spending);
  const NodeIndex from = tree_->edge(edge).from;
  const NodeKnowledge& edited = known_.at(from);
  report_stage(&*writing.candidate, "starting");
  auto alike = judged_alike(*writing.candidate, episode_.steps[edited.step]);
  if (!alike && alike.error().code == Errc::cancelled) {
    tree_->drop(edge);
    return judged;
  }
  if (!alike) return fail(std::move(alike).error());
  if (*alike) {
    judged.known = steps_.at(**alike);
    report(label(*writing.candidate) + ": the compiler makes of it what it made of step " +
           std::to_string(*judged.known) + ", which was judged");
    tree_->finish(edge, tree_->node(**alike).key, {});
    return judged;
  }
  Step step;
  step.index = static_cast<std::int64_t>(episode_.steps.size());
  step.edited = static_cast<std::int64_t>(edited.step);
  step.before = edited.bottleneck;
  step.exposures = exposures_of(edited.advice.insights);
  step.candidate = std::move(*writing.candidate);
  step.spending = writing.spending;
  step.exchanges = std::move(writing.exchanges);
  auto verdict = verdict_on(step.candidate, episode_.steps[edited.step]);
  // A stop in the middle of a candidate loses that candidate only.
  if (!verdict && verdict.error().code == Errc::cancelled) {
    tree_->drop(edge);
    return judged;
  }
  if (!verdict) return fail(std::move(verdict).error());
  step.verdict = std::move(*verdict);
  if (is_own_fault(step.candidate, step.verdict)) {
    step.verdict.reason = "a fault of warpmind in its own rewrite: " + step.verdict.reason;
  }
  budget_.judged(device_seconds(step.verdict, episode_.provider));
  auto promoted = promote(step, edited.step);
  if (!promoted && promoted.error().code != Errc::cancelled) return fail(promoted.error());
  criticise(step, from);
  std::string line = label(step.candidate) + ": " + step.verdict.reason;
  judged.step = episode_.steps.size();
  judged.accepted = step.accepted;
  keep(edge, std::move(step));
  report(std::move(line), Worth::milestone);
  return judged;
}

/// What could not be judged may be asked again.
void EpisodeSession::note_machine_code(const Step& step, NodeIndex node) {
  const auto& build = step.verdict.build;
  if (!build || build->machine_code.empty() || says_nothing(step.verdict.outcome)) return;
  by_machine_code_.emplace(machine_code_key(step.candidate.kernel, build->machine_code), node);
}

/// A judged step: into the tree and the episode.
void EpisodeSession::keep(EdgeIndex edge, Step step) {
  const NodeIndex node = tree_->finish(edge, kernel_key(step.candidate.kernel),
                                       judgement_of(step, tree_->edge(edge).from));
  steps_[node] = episode_.steps.size();
  note_machine_code(step, node);
  if (step.accepted) {
    incumbent_ = node;
    episode_.best_step = step.index;
    best_ratio_ = std::exp(tree_->node(node).judgement.log_gain);
  }
  episode_.steps.push_back(std::move(step));
}

void EpisodeSession::drop(EdgeIndex edge, const Writing& writing) {
  budget_.paid(writing.spending);
  if (!writing.note.empty()) report(writing.note);
  // Paid without a candidate: the requests are kept with the episode.
  episode_.critique.insert(episode_.critique.end(), writing.exchanges.begin(),
                           writing.exchanges.end());
  tree_->drop(edge);
}

std::string EpisodeSession::at_the_limit() {
  // The limit of a task that was made from a program is what the given kernel moves and computes:
  // another one may need less.
  if (job_.request.task.reference.empty()) return {};
  const auto known = know(incumbent_);
  if (!known) return {};
  const auto& measured = step_of(incumbent_).verdict.measurement;
  if (!measured) return {};
  // What the device table says of launches is about what a device needs, not what this one does.
  const Limit limit = limit_at(*measured, job_.request.task, device_);
  if (limit.by == LimitedBy::launch && !limit.measured) return {};
  const double headroom = (*known)->bottleneck.headroom;
  if (headroom <= 0 || headroom > kAtLimit) return {};
  return limit_text(headroom);
}

Result<void> EpisodeSession::compare_best() {
  if (episode_.best_step == 0) return {};
  const Step& best = step_of(incumbent_);
  if (best.edited == 0 && !best.promotion) {
    episode_.best_against_baseline = best.verdict.comparison;
    return {};
  }
  report("comparing the best kernel with the given one");
  const profilers::JudgeOrder order{
      job_.request.task, best.candidate.kernel, &job_.request.task.kernel, baseline_error(), {}};
  // A cancelled episode still deserves its headline: this comparison runs to its end.
  WARPMIND_TRY(episode_.best_against_baseline, parts_.lab.compare(order, std::stop_token()));
  return {};
}

void EpisodeSession::criticise_episode() {
  Critic& critic = parts_.critic != nullptr ? *parts_.critic : builtin_;
  const auto insights = values_of(shown_);
  std::string critic_name = critic.name();
  auto critique = critic.of_episode(shown_task_, episode_, insights, control_.stop);
  if (!critique) {
    report("critique: " + critic.name() + " failed (" + critique.error().message +
           "); the built-in critic takes its place");
    critic_name = builtin_.name();
    critique = builtin_.of_episode(shown_task_, episode_, insights, control_.stop);
    if (!critique) return;
  }
  check_claims(episode_, critique->claims);
  check_deltas(episode_, critique->claims, critique->deltas);
  budget_.paid(critique->spending);
  for (const auto& claim : critique->claims) {
    report((claim.refused.empty() ? "learned: " + claim.text
                                  : "refused: " + claim.text + " (" + claim.refused + ")"));
  }
  episode_.critic = critic_name;
  episode_.claims = std::move(critique->claims);
  episode_.deltas = std::move(critique->deltas);
  episode_.critique.insert(episode_.critique.end(), critique->exchanges.begin(),
                           critique->exchanges.end());
}

Result<Episode> EpisodeSession::close(std::string ended) {
  if (episode_.steps.front().verdict.outcome == Outcome::same) {
    WARPMIND_CHECK(compare_best());
    credit_turns(episode_, *tree_, steps_);
    criticise_episode();
  }
  episode_.ended = std::move(ended);
  episode_.spending = budget_.spending();
  episode_.finished = parts_.clock.wall();
  const auto given = known_.find(SearchTree::kRoot);
  conclude(episode_, given == known_.end() ? Advice{} : given->second.advice,
           control_.stop.stop_requested());
  report(episode_.summary);
  return std::move(episode_);
}

void EpisodeSession::report(std::string line) const { report(std::move(line), Worth::passing); }

void EpisodeSession::report(std::string line, Worth worth) const {
  JobProgress news;
  news.line = std::move(line);
  news.milestone = worth == Worth::milestone;
  tell(std::move(news));
}

void EpisodeSession::report_writing(const std::string& technique) const {
  JobProgress news;
  news.candidate = static_cast<std::int64_t>(episode_.steps.size());
  news.technique = technique;
  news.stage = "writing";
  news.line = technique + ": writing";
  tell(std::move(news));
}

void EpisodeSession::report_stage(const Candidate* candidate, std::string stage) const {
  JobProgress news;
  if (candidate != nullptr) {
    news.candidate = static_cast<std::int64_t>(episode_.steps.size());
    news.technique = candidate->technique;
  }
  news.line = (candidate == nullptr ? "the given kernel" : label(*candidate)) + ": " + stage;
  news.stage = std::move(stage);
  tell(std::move(news));
}

void EpisodeSession::tell(JobProgress news) const {
  if (!control_.progress) return;
  const auto judged = static_cast<std::int64_t>(episode_.steps.size()) - 1;
  news.step = std::max<std::int64_t>(judged, 0);
  news.steps = job_.request.budget.evaluations;
  news.best_ratio = best_ratio_;
  if (news.stage.empty()) news.candidate = news.step;
  control_.progress(news);
}

}  // namespace warpmind::agents
