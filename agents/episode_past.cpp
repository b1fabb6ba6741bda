#include "agents/episode_past.h"

#include "agents/search/kernel_key.h"

#include <iterator>
#include <utility>

namespace warpmind::agents {
namespace {

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

}  // namespace

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

}  // namespace warpmind::agents
