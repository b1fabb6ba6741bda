#include "agents/episode_runner.h"

#include "agents/episode_past.h"
#include "agents/episode_space.h"
#include "agents/episode_text.h"
#include "agents/search/move_scoring.h"
#include "base/model/verdict_reading.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <future>
#include <utility>

namespace warpmind::agents {

/// What the loop carries from round to round.
struct EpisodeRunner::Loop {
  const Job& job;
  const RunControl& control;
  EpisodeSession& session;
  EpisodeSpace space;
  std::unique_ptr<SearchPolicy> policy;
  EpisodePast& past;
  std::string proposer_ended = {};  ///< why it can write no more
  bool strayed = false;             ///< the policy chose otherwise than in the earlier start
};

struct EpisodeRunner::Written {
  EdgeIndex edge = 0;
  ScoredMove expected;
  Result<Writing> writing;
  bool is_past = false;  ///< what came of it is known from the earlier start
};

namespace {

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

Result<Episode> EpisodeRunner::run(const Job& job, const RunControl& control) {
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
  Loop loop{job, control, session, EpisodeSpace(session, parts_.proposer), std::move(policy), past};
  WARPMIND_CHECK(try_remembered(loop));
  WARPMIND_TRY(auto ended, search(loop));
  return session.close(std::move(ended));
}

/// Returns why it ended.
Result<std::string> EpisodeRunner::search(Loop& loop) {
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
Result<std::size_t> EpisodeRunner::play_round(Loop& loop) {
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

/// A round of the earlier start once more. Where the base has learned since, a policy may choose
/// otherwise: the steps are taken up all the same, and it draws anew from there.
Result<void> EpisodeRunner::go_through(Loop& loop) {
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

Result<void> EpisodeRunner::try_remembered(Loop& loop) {
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
Result<std::vector<EpisodeRunner::Written>> EpisodeRunner::write_round(Loop& loop,
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

Result<void> EpisodeRunner::judge(Loop& loop, Written written) {
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
Result<bool> EpisodeRunner::judge_now(Loop& loop, Written written) {
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
Result<void> EpisodeRunner::repair(Loop& loop, EdgeIndex failed) {
  for (int attempt = 1;; ++attempt) {
    WARPMIND_TRY(const bool was_judged, repair_once(loop, failed, attempt));
    if (!was_judged) return {};
  }
}

Result<bool> EpisodeRunner::repair_once(Loop& loop, EdgeIndex failed, int attempt) {
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
