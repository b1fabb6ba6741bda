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
    const std::string previous =
        knowledge_base::technique_behind(context.steps[context.edited].candidate);
    std::vector<ScoredMove> fresh;
    for (const auto& move : proposer_.moves(context)) {
      fresh.push_back(scored(move, context.advice, previous));
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
  return scored(move, {}, "");
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

// What an earlier start of an episode decided and judged. The loop goes through it once more,
// asking policy and memory as it did then, but neither writes nor judges: so everything that they
// keep is as it was, and the loop goes on at the step that had been reached.

/// The decisions of an episode: those of an earlier start, as long as there are any left to go
/// through, and the record of all that were settled.
class EpisodePast {
 public:
  explicit EpisodePast(const RunControl& control) : control_(control) {}

  /// Puts the given kernel of the earlier start into `session`.
  [[nodiscard]] Result<void> begin(EpisodeSession& session);

  /// Turns of the earlier start are left.
  [[nodiscard]] bool is_left() const { return !turns_.empty(); }
  /// The next turn left; there must be one.
  [[nodiscard]] const Turn& front() const { return turns_.front(); }
  /// The next turn left, if it is of this kind; or null.
  [[nodiscard]] const Turn* next(TurnKind kind) const;
  /// The choice number `i` of those left; null when there are fewer.
  [[nodiscard]] const Turn* choice(std::size_t i) const;
  /// Settles the next turn left as what came of `edge`. True: it judged a candidate.
  bool settle(EpisodeSession& session, EdgeIndex edge);
  /// Starts and settles the next turn left on the kernel that it edited. Returns the edge. Errors:
  /// corrupt_data when the episode has no such kernel.
  [[nodiscard]] Result<EdgeIndex> repeat(EpisodeSession& session);

  /// Records what came of `edge` now, and keeps the episode so far when that was worth something.
  /// What a stop cut short is not recorded: it is repeated. Errors: what RunControl::keep refuses.
  [[nodiscard]] Result<void> note(const EpisodeSession& session, TurnKind kind, EdgeIndex edge,
                                  const ModelSpending& spending);
  [[nodiscard]] Result<void> keep(const EpisodeSession& session) const;

 private:
  const RunControl& control_;
  std::deque<Turn> turns_;  ///< left
  std::deque<Step> steps_;  ///< of them
  std::vector<Turn> settled_;
};

Result<void> EpisodePast::begin(EpisodeSession& session) {
  const Draft& draft = *control_.past;
  WARPMIND_TRY(auto steps, session.begin_again(draft.episode));
  steps_.assign(std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
  turns_.assign(draft.turns.begin(), draft.turns.end());
  return {};
}

const Turn* EpisodePast::next(TurnKind kind) const {
  return turns_.empty() || turns_.front().kind != kind ? nullptr : &turns_.front();
}

const Turn* EpisodePast::choice(std::size_t i) const {
  for (const auto& turn : turns_) {
    if (turn.kind == TurnKind::chosen && i-- == 0) return &turn;
  }
  return nullptr;
}

bool EpisodePast::settle(EpisodeSession& session, EdgeIndex edge) {
  settled_.push_back(std::move(turns_.front()));
  turns_.pop_front();
  const Turn& turn = settled_.back();
  switch (turn.end) {
    case TurnEnd::judged:
      session.settle(edge, std::move(steps_.front()));
      steps_.pop_front();
      return true;
    case TurnEnd::duplicate:
      session.settle_duplicate(edge, static_cast<std::size_t>(turn.step), turn.spending);
      return false;
    case TurnEnd::dropped: break;
  }
  Writing nothing;
  nothing.spending = turn.spending;
  session.drop(edge, nothing);
  return false;
}

Result<EdgeIndex> EpisodePast::repeat(EpisodeSession& session) {
  const Turn& turn = turns_.front();
  const auto from = session.node_of(static_cast<std::size_t>(turn.edited));
  if (!from) {
    return fail(Errc::corrupt_data,
                "the draft of " + session.episode().id.str() + " edits a kernel that is not right");
  }
  // As when it was first started: only a choice of the policy gives credit to the way there.
  const bool was_chosen = turn.kind == TurnKind::chosen;
  const auto path = was_chosen ? session.tree().way_to(*from) : std::vector<EdgeIndex>();
  const EdgeIndex edge = session.tree().start(*from, Move{turn.technique, turn.parameters}, path);
  settle(session, edge);
  return edge;
}

Result<void> EpisodePast::note(const EpisodeSession& session, TurnKind kind, EdgeIndex edge,
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
  settled_.push_back(std::move(turn));
  return is_worth_it ? keep(session) : Result<void>();
}

Result<void> EpisodePast::keep(const EpisodeSession& session) const {
  if (!control_.keep || is_left() || control_.stop.stop_requested()) return {};
  Draft draft;
  draft.episode = session.draft();
  draft.turns = settled_;
  return control_.keep(std::move(draft));
}

/// A model's own guess takes the place of the proposer's.
void predict(Candidate& candidate, ScoredMove expected, const ProposalContext& context) {
  if (!candidate.model.empty()) {
    const Move move{candidate.technique, candidate.parameters, candidate.predicted_gain};
    expected = scored(move, context.advice,
                      knowledge_base::technique_behind(context.steps[context.edited].candidate));
  }
  const Prediction prediction = prediction_of(expected);
  candidate.predicted_gain = prediction.gain;
  candidate.predicted_low = prediction.low;
  candidate.predicted_high = prediction.high;
}

bool is_choice(const Turn& turn, std::size_t edited, const Choice& choice) {
  return turn.edited == static_cast<std::int64_t>(edited) &&
         turn.technique == choice.move.technique && turn.parameters == choice.move.parameters;
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
  EpisodePast& past;
  std::string proposer_ended = {};  ///< why it can write no more
  bool strayed = false;             ///< the policy chose otherwise than in the earlier start
};

struct EpisodeLoop::Written {
  EdgeIndex edge = 0;
  ScoredMove expected;
  Result<Writing> writing;
  bool is_past = false;  ///< what came of it is known from the earlier start
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
  WARPMIND_TRY(auto policy, make_search_policy(job.request.policy, session.episode().seed));
  EpisodePast past(control);
  if (control.past != nullptr) {
    WARPMIND_CHECK(past.begin(session));
    WARPMIND_CHECK(session.know(SearchTree::kRoot));
  } else {
    session.budget().spent_before(control.before);
    WARPMIND_TRY(const bool can_be_improved, session.open());
    if (!can_be_improved) return session.close("the given kernel could not be measured as right");
    WARPMIND_CHECK(past.keep(session));
  }
  State loop{job, control, session, EpisodeSpace(session, parts_.proposer), std::move(policy),
             past};
  WARPMIND_CHECK(try_remembered(loop));
  WARPMIND_TRY(auto ended, search(loop));
  return session.close(std::move(ended));
}

/// Returns why it ended.
Result<std::string> EpisodeLoop::search(State& loop) {
  EpisodeSession& session = loop.session;
  while (loop.past.is_left()) WARPMIND_CHECK(go_through(loop));
  session.budget().spent_before(loop.control.before);
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
  WARPMIND_TRY(auto round, write_round(loop, std::max<std::int64_t>(loop.job.request.workers, 1)));
  if (loop.space.error()) return fail(*loop.space.error());
  for (auto& written : round) WARPMIND_CHECK(judge(loop, std::move(written)));
  return round.size();
}

/// A round of the earlier start once more. Where the base has learned since, a policy may choose
/// otherwise: the steps are taken up all the same, and it draws anew from there.
Result<void> EpisodeLoop::go_through(State& loop) {
  WARPMIND_TRY(const std::size_t chosen, play_round(loop));
  if (chosen > 0 && !loop.strayed) return {};
  EpisodeSession& session = loop.session;
  session.report(
      "the base has learned since the first start: steps are taken up, choices drawn anew");
  while (loop.past.is_left()) {
    const Turn then = loop.past.front();
    if (then.kind == TurnKind::chosen) {
      parts_.proposer.written_before({then.technique, then.parameters});
    }
    WARPMIND_TRY(const EdgeIndex edge, loop.past.repeat(session));
    if (then.end == TurnEnd::judged) loop.space.learn(edge);
  }
  WARPMIND_TRY(loop.policy,
               make_search_policy(loop.job.request.policy,
                                  session.episode().seed + session.episode().steps.size()));
  return {};
}

Result<void> EpisodeLoop::try_remembered(State& loop) {
  EpisodeSession& session = loop.session;
  if (loop.past.next(TurnKind::remembered) != nullptr) {
    WARPMIND_CHECK(loop.past.repeat(session));
    return {};
  }
  if (loop.past.is_left()) return {};
  auto candidate = session.remembered();
  if (!candidate || !session.budget().refusal().empty()) return {};
  const Move move{candidate->technique, candidate->parameters, candidate->predicted_gain};
  const EdgeIndex edge = session.tree().start(SearchTree::kRoot, move, {});
  WARPMIND_CHECK(session.judge(edge, Writing{std::move(candidate)}));
  return loop.past.note(session, TurnKind::remembered, edge, {});
}

/// Up to `width` candidates, chosen one after the other and written at the same time.
Result<std::vector<EpisodeLoop::Written>> EpisodeLoop::write_round(State& loop,
                                                                   std::int64_t width) {
  std::vector<Written> round;
  std::vector<std::future<Result<Writing>>> pens;
  EpisodeSession& session = loop.session;
  for (std::int64_t i = 0; i < width; ++i) {
    const Turn* const then = loop.past.choice(round.size());
    if (then == nullptr && !session.budget().refusal(i).empty()) break;
    const auto choice = loop.policy->next(session.tree(), loop.space);
    if (!choice) break;
    WARPMIND_CHECK(session.know(choice->from));
    loop.strayed = then != nullptr && !is_choice(*then, session.position_of(choice->from), *choice);
    if (loop.strayed) break;
    auto expected = loop.space.expectation(choice->from, choice->move);
    const EdgeIndex edge = session.tree().start(choice->from, choice->move, choice->path);
    const auto context = session.context(choice->from);
    if (then == nullptr) session.report_writing(choice->move.technique);
    // One writes here; more at once each get a thread.
    const auto how = width == 1 || then != nullptr ? std::launch::deferred : std::launch::async;
    pens.push_back(
        std::async(how, [this, is_past = then != nullptr, move = choice->move, context, &loop] {
          if (!is_past) return parts_.proposer.write(move, context, loop.control.stop);
          parts_.proposer.written_before(move);
          return Result<Writing>(Writing{});
        }));
    round.push_back({edge, std::move(expected), Writing{}, then != nullptr});
  }
  for (std::size_t i = 0; i < round.size(); ++i) round[i].writing = pens[i].get();
  return round;
}

Result<void> EpisodeLoop::judge(State& loop, Written written) {
  EpisodeSession& session = loop.session;
  const EdgeIndex edge = written.edge;
  bool was_judged = false;
  if (written.is_past) {
    was_judged = loop.past.settle(session, edge);
  } else {
    WARPMIND_TRY(was_judged, judge_now(loop, std::move(written)));
  }
  if (was_judged) loop.space.learn(edge);
  loop.policy->learned(session.tree(), edge);
  return was_judged ? repair(loop, edge) : Result<void>();
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
    WARPMIND_CHECK(loop.past.note(session, TurnKind::chosen, written.edge, {}));
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
  WARPMIND_CHECK(loop.past.note(session, TurnKind::chosen, written.edge, spending));
  return was_judged;
}

/// Gives the proposer its failed candidate back until it is right or no more is to be had.
Result<void> EpisodeLoop::repair(State& loop, EdgeIndex failed) {
  for (int attempt = 1;; ++attempt) {
    WARPMIND_TRY(const bool was_judged, repair_once(loop, failed, attempt));
    if (!was_judged) return {};
  }
}

Result<bool> EpisodeLoop::repair_once(State& loop, EdgeIndex failed, int attempt) {
  EpisodeSession& session = loop.session;
  if (const Turn* const then = loop.past.next(TurnKind::repaired)) {
    const bool was_judged = then->end == TurnEnd::judged;
    WARPMIND_TRY(const EdgeIndex edge, loop.past.repeat(session));
    if (was_judged) loop.space.learn(edge);
    return was_judged;
  }
  const Step& last = session.episode().steps.back();
  if (loop.past.is_left() || !may_be_repaired(last.verdict.outcome)) return false;
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
  WARPMIND_CHECK(loop.past.note(session, TurnKind::repaired, edge, spending));
  if (was_judged) loop.space.learn(edge);
  return was_judged;
}

}  // namespace warpmind::agents
