#include "agents/episode_runner.h"

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
  std::string proposer_ended = {};  ///< why it can write no more
};

struct EpisodeRunner::Written {
  EdgeIndex edge = 0;
  ScoredMove expected;
  Result<Writing> writing;
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

bool may_be_repaired(Outcome outcome) {
  return is_failure(outcome) && outcome != Outcome::cheating;
}

}  // namespace

Result<Episode> EpisodeRunner::run(const Job& job, const RunControl& control) {
  EpisodeSession session(parts_, job, control);
  WARPMIND_TRY(auto policy, make_search_policy(job.request.policy, session.episode().seed));
  WARPMIND_TRY(const bool can_be_improved, session.open());
  if (!can_be_improved) return session.close("the given kernel could not be measured as right");
  Loop loop{job, control, session, EpisodeSpace(session, parts_.proposer), std::move(policy)};
  WARPMIND_CHECK(try_remembered(loop));
  WARPMIND_TRY(auto ended, search(loop));
  return session.close(std::move(ended));
}

/// Returns why it ended.
Result<std::string> EpisodeRunner::search(Loop& loop) {
  EpisodeSession& session = loop.session;
  for (;;) {
    if (loop.control.between_steps) {
      const auto from = parts_.clock.monotonic();
      loop.control.between_steps();
      session.budget().rested(parts_.clock.monotonic() - from);
    }
    if (loop.control.stop.stop_requested()) return std::string("stopped on request");
    if (auto refusal = session.budget().refusal(); !refusal.empty()) return refusal;
    if (auto limit = session.at_the_roofline(); !limit.empty()) return limit;
    WARPMIND_TRY(const NodeKnowledge* best, session.know(session.incumbent()));
    if (best->recalled != session.episode().steps.size()) {
      WARPMIND_CHECK(session.recall_again(session.incumbent()));
      loop.space.forget(session.incumbent());
    }
    WARPMIND_TRY(auto round,
                 write_round(loop, std::max<std::int64_t>(loop.job.request.workers, 1)));
    if (loop.space.error()) return fail(*loop.space.error());
    if (round.empty()) return std::string("every edit that is known was tried");
    for (auto& written : round) WARPMIND_CHECK(judge(loop, std::move(written)));
    if (!loop.proposer_ended.empty()) return loop.proposer_ended;
  }
}

Result<void> EpisodeRunner::try_remembered(Loop& loop) {
  auto candidate = loop.session.remembered();
  if (!candidate || !loop.session.budget().refusal().empty()) return {};
  const Move move{candidate->technique, candidate->parameters, candidate->predicted_gain};
  const EdgeIndex edge = loop.session.tree().start(SearchTree::kRoot, move, {});
  WARPMIND_CHECK(loop.session.judge(edge, Writing{std::move(candidate)}));
  return {};
}

/// Up to `width` candidates, chosen one after the other and written at the same time.
Result<std::vector<EpisodeRunner::Written>> EpisodeRunner::write_round(Loop& loop,
                                                                       std::int64_t width) {
  std::vector<Written> round;
  std::vector<std::future<Result<Writing>>> pens;
  for (std::int64_t i = 0; i < width && loop.session.budget().refusal(i).empty(); ++i) {
    const auto choice = loop.policy->next(loop.session.tree(), loop.space);
    if (!choice) break;
    WARPMIND_CHECK(loop.session.know(choice->from));
    auto expected = loop.space.expectation(choice->from, choice->move);
    const EdgeIndex edge = loop.session.tree().start(choice->from, choice->move, choice->path);
    const auto context = loop.session.context(choice->from);
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

Result<void> EpisodeRunner::judge(Loop& loop, Written written) {
  EpisodeSession& session = loop.session;
  if (!written.writing) {
    const Error& error = written.writing.error();
    session.drop(written.edge, {});
    loop.policy->learned(session.tree(), written.edge);
    // Whatever keeps a proposer from writing, what was measured is kept.
    if (error.code != Errc::cancelled) loop.proposer_ended = error.message;
    return {};
  }
  const bool may_judge = session.budget().refusal().empty() && !loop.control.stop.stop_requested();
  if (!written.writing->candidate || !may_judge) {
    session.drop(written.edge, *written.writing);
    loop.policy->learned(session.tree(), written.edge);
    return {};
  }
  predict(*written.writing->candidate, written.expected,
          session.context(session.tree().edge(written.edge).from));
  WARPMIND_TRY(const auto judged, session.judge(written.edge, std::move(*written.writing)));
  if (judged.was_judged()) loop.space.learn(written.edge);
  loop.policy->learned(session.tree(), written.edge);
  return judged.was_judged() ? repair(loop, written.edge) : Result<void>();
}

/// Gives the proposer its failed candidate back until it is right or no more is to be had.
Result<void> EpisodeRunner::repair(Loop& loop, EdgeIndex failed) {
  EpisodeSession& session = loop.session;
  const NodeIndex from = session.tree().edge(failed).from;
  for (int attempt = 1;; ++attempt) {
    const Step& last = session.episode().steps.back();
    if (!may_be_repaired(last.verdict.outcome) || !session.budget().refusal().empty()) return {};
    auto writing = parts_.proposer.repair(session.context(from), loop.control.stop);
    if (!writing) {
      if (writing.error().code != Errc::cancelled) loop.proposer_ended = writing.error().message;
      return {};
    }
    Move move = session.tree().edge(failed).move;
    move.parameters +=
        (move.parameters.empty() ? "repair " : ", repair ") + std::to_string(attempt);
    const EdgeIndex edge = session.tree().start(from, move, {});
    if (!writing->candidate) {
      session.drop(edge, *writing);
      return {};
    }
    predict(*writing->candidate, loop.space.expectation(from, session.tree().edge(failed).move),
            session.context(from));
    WARPMIND_TRY(const auto judged, session.judge(edge, std::move(*writing)));
    if (!judged.was_judged()) return {};
    loop.space.learn(edge);
  }
}

}  // namespace warpmind::agents
