#include "agents/episode_loop.h"

#include "agents/search/episode_learning.h"
#include "agents/search/kernel_key.h"
#include "agents/search/move_scoring.h"
#include "agents/search/search_policy.h"
#include "base/model/verdict_reading.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <deque>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace warpmind::agents {
namespace {

/// An episode as a search policy sees it: moves of its kernels with what is expected of them.
class EpisodeSpace final : public SearchSpace {
 public:
  /// Both must outlive it.
  EpisodeSpace(EpisodeSession& session, const Proposer& proposer)
      : session_(session), proposer_(proposer) {}

  [[nodiscard]] std::span<const ScoredMove> moves(NodeIndex node) override;
  /// A candidate was judged, or the advice for `node` was recalled anew.
  void learn(EdgeIndex edge);
  void forget(NodeIndex node) { expected_.erase(node); }
  /// As the policy saw it; the guess of the move itself where it did not see it.
  [[nodiscard]] ScoredMove expectation(NodeIndex node, const Move& move);

  /// What went wrong while moves were asked for; an empty answer stands for it.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  EpisodeSession& session_;
  const Proposer& proposer_;
  EpisodeLearning learning_;
  std::map<NodeIndex, std::vector<ScoredMove>> expected_;  ///< by memory and proposer
  std::vector<ScoredMove> answer_;
  std::optional<Error> error_;
};

std::span<const ScoredMove> EpisodeSpace::moves(NodeIndex node) {
  answer_.clear();
  auto expected = expected_.find(node);
  if (expected == expected_.end()) {
    const auto known = session_.know(node);
    if (!known) {
      error_ = known.error();
      return {};
    }
    const auto context = session_.context(node);
    std::vector<ScoredMove> fresh;
    for (const auto& move : proposer_.moves(context)) {
      fresh.push_back(scored(move, context.advice));
    }
    expected = expected_.emplace(node, std::move(fresh)).first;
  }
  for (const auto& move : expected->second) answer_.push_back(learning_.adjusted(move));
  return answer_;
}

void EpisodeSpace::learn(EdgeIndex index) {
  const SearchEdge& edge = session_.tree().edge(index);
  if (edge.state != EdgeState::judged) return;
  const Judgement& judgement = session_.tree().node(edge.to).judgement;
  const double parent = session_.tree().node(edge.from).judgement.log_gain;
  learning_.learn(edge.move, judgement.end, judgement.log_gain - parent);
}

ScoredMove EpisodeSpace::expectation(NodeIndex node, const Move& move) {
  for (const auto& known : moves(node)) {
    if (known.move.technique == move.technique && known.move.parameters == move.parameters) {
      return known;
    }
  }
  return scored(move, {});
}

std::string described(const DeviceIdentity& device) {
  return device.name + ", driver " + device.driver;
}

/// Whether every turn speaks of steps that came before it, and every step of one turn.
bool fits_together(const Draft& draft) {
  const auto steps = std::ssize(draft.episode.steps);
  std::int64_t judged = 1;  // the given kernel
  for (const auto& turn : draft.turns) {
    if (turn.edited < 0 || turn.edited >= judged) return false;
    if (turn.end == TurnEnd::dropped) continue;
    if (turn.end == TurnEnd::duplicate && (turn.step < 0 || turn.step >= judged)) return false;
    if (turn.end == TurnEnd::judged && turn.step != judged++) return false;
  }
  return judged == steps;
}

/// The decisions of an episode in the order in which they were settled, those of an earlier start
/// before its own.
class SettledTurns {
 public:
  explicit SettledTurns(const RunControl& control) : control_(control) {
    if (control.past != nullptr) turns_ = control.past->turns;
  }

  [[nodiscard]] bool empty() const { return turns_.empty(); }
  /// Records what came of `edge` now, and keeps the episode so far when that was worth something.
  /// What a stop cut short is not recorded: it is repeated. Errors: what RunControl::keep refuses.
  [[nodiscard]] Result<void> note(const EpisodeSession& session, TurnKind kind, EdgeIndex edge,
                                  const ModelSpending& spending);
  [[nodiscard]] Result<void> keep(const EpisodeSession& session) const;

 private:
  const RunControl& control_;
  std::vector<Turn> turns_;
};

Result<void> SettledTurns::note(const EpisodeSession& session, TurnKind kind, EdgeIndex edge,
                                const ModelSpending& spending) {
  if (control_.stop.stop_requested()) return {};
  const SearchTree& tree = session.tree();
  const SearchEdge& done = tree.edge(edge);
  Turn turn;
  turn.kind = kind;
  turn.edited = static_cast<std::int64_t>(session.position_of(done.from));
  turn.technique = done.move.technique;
  turn.parameters = done.move.parameters;
  if (done.state == EdgeState::judged) {
    turn.step = static_cast<std::int64_t>(session.position_of(done.to));
    const bool is_new = tree.node(done.to).first_in == edge && done.to != SearchTree::kRoot;
    turn.end = is_new ? TurnEnd::judged : TurnEnd::duplicate;
  }
  if (turn.end != TurnEnd::judged) turn.spending = spending;
  const bool is_worth_it = turn.end == TurnEnd::judged || spending.calls > 0;
  turns_.push_back(std::move(turn));
  return is_worth_it ? keep(session) : Result<void>();
}

Result<void> SettledTurns::keep(const EpisodeSession& session) const {
  if (!control_.keep || control_.stop.stop_requested()) return {};
  Draft draft;
  draft.episode = session.draft();
  draft.turns = turns_;
  return control_.keep(std::move(draft));
}

/// What came of `turn` in the earlier start. Of `steps` the first ones left are still to be
/// settled.
void settle_turn(EpisodeSession& session, const Turn& turn, EdgeIndex edge,
                 std::deque<Step>& steps) {
  switch (turn.end) {
    case TurnEnd::judged:
      session.settle(edge, std::move(steps.front()));
      steps.pop_front();
      return;
    case TurnEnd::duplicate:
      session.settle_duplicate(edge, static_cast<std::size_t>(turn.step), turn.spending);
      return;
    case TurnEnd::dropped: break;
  }
  Writing nothing;
  nothing.spending = turn.spending;
  session.drop(edge, nothing);
}

/// A model's own guess takes the place of the proposer's in the prediction. Memory learns from what
/// the move was chosen by, unless the model made another edit of it.
void predict(Candidate& candidate, ScoredMove expected, const ProposalContext& context) {
  const bool as_asked = candidate.technique == expected.move.technique;
  candidate.prior_gain = as_asked ? expected.move.prior_gain : candidate.predicted_gain;
  if (!candidate.model.empty()) {
    const Move move{candidate.technique, candidate.parameters, candidate.predicted_gain};
    expected = scored(move, context.advice);
  }
  const Prediction prediction = prediction_of(expected);
  candidate.predicted_gain = prediction.gain;
  candidate.predicted_low = prediction.low;
  candidate.predicted_high = prediction.high;
}

bool may_be_repaired(Outcome outcome) {
  return is_failure(outcome) && outcome != Outcome::cheating;
}

}  // namespace

/// What the loop carries from round to round.
struct EpisodeLoop::State {
  const Job& job;
  const RunControl& control;
  EpisodeSession& session;
  EpisodeSpace space;
  std::unique_ptr<SearchPolicy> policy;
  SettledTurns turns;
  std::string proposer_ended = {};  ///< why it can write no more
};

struct EpisodeLoop::Written {
  EdgeIndex edge = 0;
  ScoredMove expected;
  Result<Writing> writing;
};

std::string obstacle_to_resume(const Draft& draft, const Job& job, profilers::KernelLab& lab) {
  const Episode& episode = draft.episode;
  if (episode.steps.empty() || !fits_together(draft)) return "its steps do not fit together";
  const Step& given = episode.steps.front();
  if (given.verdict.outcome != Outcome::same) return "its given kernel was not judged as right";
  if (kernel_key(given.candidate.kernel) != kernel_key(job.request.task.kernel)) {
    return "it is about another kernel";
  }
  if (episode.provider != lab.provider()) {
    return "its steps are of the provider " + std::string(name_of(episode.provider));
  }
  if (!given.verdict.measurement) return {};
  const auto device = lab.device();
  if (!device) return {};  // the next candidate says so
  const DeviceIdentity& then = given.verdict.measurement->device;
  if (then.name == device->name && then.driver == device->driver) return {};
  return "its steps were measured on " + described(then) + ", this is " + described(*device);
}

Result<Episode> EpisodeLoop::run_episode(const Job& job, const RunControl& control) {
  EpisodeSession session(parts_, job, control);
  session.budget().spent_before(control.before);
  const auto kept = control.past != nullptr ? control.past->episode.steps.size() : 0;
  // A policy begins anew: the dice of an earlier start are not thrown again.
  WARPMIND_TRY(auto policy, make_search_policy(job.request.policy, session.episode().seed + kept));
  State loop{job,
             control,
             session,
             EpisodeSpace(session, parts_.proposer),
             std::move(policy),
             SettledTurns(control)};
  if (control.past != nullptr) {
    WARPMIND_CHECK(take_up_draft(loop, *control.past));
  } else {
    WARPMIND_TRY(const bool can_be_improved, session.open());
    if (!can_be_improved) return session.close("the given kernel could not be measured as right");
    WARPMIND_CHECK(loop.turns.keep(session));
  }
  if (loop.turns.empty()) WARPMIND_CHECK(try_remembered(loop));
  WARPMIND_TRY(auto ended, search(loop));
  return session.close(std::move(ended));
}

/// Settles what an earlier start decided and judged: tree, budget, incumbent and what techniques
/// did are as they were, and nothing is written or judged again. A repair that was under way goes
/// on.
Result<void> EpisodeLoop::take_up_draft(State& loop, const Draft& draft) {
  EpisodeSession& session = loop.session;
  WARPMIND_TRY(auto kept, session.begin_again(draft.episode));
  std::deque<Step> steps(std::make_move_iterator(kept.begin()),
                         std::make_move_iterator(kept.end()));
  WARPMIND_CHECK(session.know(SearchTree::kRoot));
  EdgeIndex chosen = 0;
  int repairs = 0;
  for (const Turn& turn : draft.turns) {
    const auto from = session.node_of(static_cast<std::size_t>(turn.edited));
    if (!from) {
      return fail(Errc::corrupt_data, "the draft of " + session.episode().id.str() +
                                          " edits a kernel that is not right");
    }
    WARPMIND_CHECK(session.know(*from));
    const bool was_chosen = turn.kind == TurnKind::chosen;
    const bool was_judged = turn.end == TurnEnd::judged;
    const Move move{turn.technique, turn.parameters,
                    was_judged ? steps.front().candidate.prior_gain : 1};
    // Only a choice of the policy gives credit to the way there.
    const auto path = was_chosen ? session.tree().way_to(*from) : std::vector<EdgeIndex>();
    const EdgeIndex edge = session.tree().start(*from, move, path);
    if (was_chosen) parts_.proposer.written_before(move);
    settle_turn(session, turn, edge, steps);
    if (was_judged) loop.space.learn(edge);
    if (turn.kind != TurnKind::repaired) chosen = edge;
    repairs = turn.kind == TurnKind::repaired ? repairs + 1 : 0;
  }
  if (draft.turns.empty() || draft.turns.back().kind == TurnKind::remembered) return {};
  return draft.turns.back().end == TurnEnd::judged ? repair(loop, chosen, repairs + 1)
                                                   : Result<void>();
}

/// Returns why it ended.
Result<std::string> EpisodeLoop::search(State& loop) {
  EpisodeSession& session = loop.session;
  for (;;) {
    if (loop.control.between_steps) {
      const auto from = parts_.clock.monotonic();
      loop.control.between_steps();
      session.budget().rested(parts_.clock.monotonic() - from);
    }
    if (loop.control.stop.stop_requested()) return std::string("stopped on request");
    if (auto refusal = session.budget().refusal(); !refusal.empty()) return refusal;
    if (auto limit = session.at_the_limit(); !limit.empty()) return limit;
    WARPMIND_TRY(const std::size_t judged, play_round(loop));
    if (judged == 0) return std::string("every edit that is known was tried");
    if (!loop.proposer_ended.empty()) return loop.proposer_ended;
  }
}

/// One round; returns how many candidates were chosen in it.
Result<std::size_t> EpisodeLoop::play_round(State& loop) {
  EpisodeSession& session = loop.session;
  WARPMIND_TRY(const NodeKnowledge* best, session.know(session.incumbent()));
  if (best->recalled != session.episode().steps.size()) {
    WARPMIND_CHECK(session.recall_again(session.incumbent()));
    loop.space.forget(session.incumbent());
  }
  WARPMIND_TRY(auto round,
               write_round(loop, std::max<std::int64_t>(loop.job.request.workers.value_or(1), 1)));
  if (loop.space.error()) return fail(*loop.space.error());
  for (auto& written : round) WARPMIND_CHECK(judge(loop, std::move(written)));
  return round.size();
}

Result<void> EpisodeLoop::try_remembered(State& loop) {
  EpisodeSession& session = loop.session;
  auto candidate = session.remembered();
  if (!candidate || !session.budget().refusal().empty()) return {};
  const Move move{candidate->technique, candidate->parameters, candidate->predicted_gain};
  const EdgeIndex edge = session.tree().start(SearchTree::kRoot, move, {});
  WARPMIND_CHECK(session.judge(edge, Writing{std::move(candidate)}));
  return loop.turns.note(session, TurnKind::remembered, edge, {});
}

/// Up to `width` candidates, chosen one after the other and written at the same time.
Result<std::vector<EpisodeLoop::Written>> EpisodeLoop::write_round(State& loop,
                                                                   std::int64_t width) {
  std::vector<Written> round;
  std::vector<std::future<Result<Writing>>> pens;
  EpisodeSession& session = loop.session;
  for (std::int64_t i = 0; i < width; ++i) {
    if (!session.budget().refusal(i).empty()) break;
    const auto choice = loop.policy->next(session.tree(), loop.space);
    if (!choice) break;
    WARPMIND_CHECK(session.know(choice->from));
    auto expected = loop.space.expectation(choice->from, choice->move);
    const EdgeIndex edge = session.tree().start(choice->from, choice->move, choice->path);
    const auto context = session.context(choice->from);
    session.report_writing(choice->move.technique);
    // One writes here; more at once each get a thread.
    const auto how = width == 1 ? std::launch::deferred : std::launch::async;
    pens.push_back(std::async(how, [this, move = choice->move, context, &loop] {
      return parts_.proposer.write(move, context, loop.control.stop);
    }));
    round.push_back({edge, std::move(expected), Writing{}});
  }
  for (std::size_t i = 0; i < round.size(); ++i) round[i].writing = pens[i].get();
  return round;
}

Result<void> EpisodeLoop::judge(State& loop, Written written) {
  EpisodeSession& session = loop.session;
  const EdgeIndex edge = written.edge;
  WARPMIND_TRY(const bool was_judged, judge_now(loop, std::move(written)));
  if (was_judged) loop.space.learn(edge);
  loop.policy->learned(session.tree(), edge);
  return was_judged ? repair(loop, edge, 1) : Result<void>();
}

/// Whether there was a candidate to be judged.
Result<bool> EpisodeLoop::judge_now(State& loop, Written written) {
  EpisodeSession& session = loop.session;
  Writing nothing;
  if (!written.writing) {
    const Error& error = written.writing.error();
    session.drop(written.edge, nothing);
    // Whatever keeps a proposer from writing, what was measured is kept.
    if (error.code == Errc::cancelled) return false;
    loop.proposer_ended = error.message;
    WARPMIND_CHECK(loop.turns.note(session, TurnKind::chosen, written.edge, {}));
    return false;
  }
  const ModelSpending spending = written.writing->spending;
  const bool may_judge = session.budget().refusal().empty() && !loop.control.stop.stop_requested();
  bool was_judged = false;
  if (!written.writing->candidate || !may_judge) {
    session.drop(written.edge, *written.writing);
  } else {
    predict(*written.writing->candidate, written.expected,
            session.context(session.tree().edge(written.edge).from));
    WARPMIND_TRY(const auto judged, session.judge(written.edge, std::move(*written.writing)));
    was_judged = judged.was_judged();
  }
  WARPMIND_CHECK(loop.turns.note(session, TurnKind::chosen, written.edge, spending));
  return was_judged;
}

/// Gives the proposer its failed candidate back until it is right or no more is to be had.
Result<void> EpisodeLoop::repair(State& loop, EdgeIndex failed, int attempt) {
  for (;; ++attempt) {
    WARPMIND_TRY(const bool was_judged, repair_once(loop, failed, attempt));
    if (!was_judged) return {};
  }
}

Result<bool> EpisodeLoop::repair_once(State& loop, EdgeIndex failed, int attempt) {
  EpisodeSession& session = loop.session;
  const Step& last = session.episode().steps.back();
  if (!may_be_repaired(last.verdict.outcome)) return false;
  if (!session.budget().refusal().empty()) return false;
  const NodeIndex from = session.tree().edge(failed).from;
  auto writing = parts_.proposer.repair(session.context(from), loop.control.stop);
  if (!writing) {
    if (writing.error().code != Errc::cancelled) loop.proposer_ended = writing.error().message;
    return false;
  }
  Move move = session.tree().edge(failed).move;
  move.parameters += (move.parameters.empty() ? "repair " : ", repair ") + std::to_string(attempt);
  const EdgeIndex edge = session.tree().start(from, move, {});
  const ModelSpending spending = writing->spending;
  bool was_judged = false;
  if (!writing->candidate) {
    session.drop(edge, *writing);
  } else {
    predict(*writing->candidate, loop.space.expectation(from, session.tree().edge(failed).move),
            session.context(from));
    WARPMIND_TRY(const auto judged, session.judge(edge, std::move(*writing)));
    was_judged = judged.was_judged();
  }
  WARPMIND_CHECK(loop.turns.note(session, TurnKind::repaired, edge, spending));
  if (was_judged) loop.space.learn(edge);
  return was_judged;
}

}  // namespace warpmind::agents
