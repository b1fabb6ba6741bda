#include "agents/export/trajectories.h"

#include "agents/export/attempt.h"
#include "agents/export/export_line.h"
#include "agents/search/reward.h"
#include "base/hash.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace warpmind::agents {
namespace {

using nlohmann::json;

/// The turns from the given kernel to one leaf, with their rewards.
struct Trajectory {
  std::int64_t number = 0;  ///< within its episode, from 1
  std::vector<Attempt> turns;
  std::vector<double> scores;
  std::vector<double> returns;
};

/// Trajectories of one task and one author: what advantages are normalised over.
struct Group {
  double sum = 0;
  double squares = 0;  ///< of distances from the mean
  std::int64_t size = 0;

  [[nodiscard]] double mean() const { return size == 0 ? 0 : sum / static_cast<double>(size); }
  [[nodiscard]] double deviation() const {
    return size == 0 ? 0 : std::sqrt(squares / static_cast<double>(size));
  }
};

std::string group_of(const Attempt& attempt) {
  return "g-" + short_hash(hash_input({attempt.episode().task.str(), author_of(attempt)}));
}

double score_of(const Attempt& attempt) {
  return turn_score(attempt.is_right, attempt.speedup.value_or(0));
}

Trajectory trajectory_to(const std::map<std::size_t, Attempt>& attempts, std::size_t leaf) {
  Trajectory trajectory;
  for (auto at = attempts.find(leaf); at != attempts.end(); at = attempts.find(at->second.edited)) {
    trajectory.turns.push_back(at->second);
  }
  std::reverse(trajectory.turns.begin(), trajectory.turns.end());
  for (const auto& turn : trajectory.turns) trajectory.scores.push_back(score_of(turn));
  trajectory.returns = discounted_returns(trajectory.scores);
  return trajectory;
}

std::vector<Trajectory> trajectories_of(const SourceEpisode& source) {
  std::map<std::size_t, Attempt> attempts;
  std::set<std::size_t> edited;
  for (std::size_t at = 1; at < source.episode.steps.size(); ++at) {
    if (const auto attempt = attempt_at(source, at)) {
      attempts.emplace(at, *attempt);
      edited.insert(attempt->edited);
    }
  }
  std::vector<Trajectory> all;
  for (const auto& [at, attempt] : attempts) {
    if (edited.contains(at)) continue;
    all.push_back(trajectory_to(attempts, at));
    all.back().number = static_cast<std::int64_t>(all.size());
  }
  return all;
}

json optional_number(const std::optional<double>& value) { return value ? json(*value) : json(); }

/// The conversation up to turn `at`: earlier answers are summaries, without reasoning.
json messages_of(const Trajectory& trajectory, std::size_t at) {
  json messages = json::array();
  for (std::size_t i = 0; i <= at; ++i) {
    const Attempt& turn = trajectory.turns[i];
    std::string asked = i == 0 ? "" : feedback_of(trajectory.turns[i - 1]) + "\n";
    asked += prompt_of(turn);
    std::string answered = response_summary(turn);
    if (i == at) answered += "\n```cuda\n" + turn.step().candidate.kernel.source + "\n```\n";
    messages.push_back({{"role", "user"}, {"content", asked}});
    messages.push_back({{"role", "assistant"}, {"content", answered}});
  }
  return messages;
}

json line_of(const Trajectory& trajectory, std::size_t at, const ExportOptions& options) {
  const Attempt& turn = trajectory.turns[at];
  const Verdict& verdict = turn.step().verdict;
  json line{{"episode", turn.episode().id.str()},
            {"trajectory", trajectory.number},
            {"turn", at + 1},
            {"turns", trajectory.turns.size()},
            {"prompt_origin", turn.exchange != nullptr ? "stored" : "composed"},
            {"verdict",
             {{"outcome", name_of(verdict.outcome)},
              {"reason", verdict.reason},
              {"right", turn.is_right}}},
            {"s", trajectory.scores[at]},
            {"R", trajectory.returns[at]},
            {"gamma", kDiscount},
            {"speedup", optional_number(turn.speedup)},
            {"baseline_ns", optional_number(turn.baseline_ns)},
            {"kernel_ns", optional_number(turn.kernel_ns)},
            {"ci95", turn.kernel_ci95[1] > 0 ? json(turn.kernel_ci95) : json()},
            {"group_id", group_of(turn)},
            {"provenance", provenance_of(turn, options.base_id)}};
  add_kernel(line, turn.step().candidate.kernel);
  if (options.format == TrajectoryFormat::chat) {
    line["schema"] = kChatSchema;
    line["messages"] = messages_of(trajectory, at);
  } else {
    line["schema"] = kTrajectorySchema;
    line["prompt"] = prompt_of(turn);
    line["response_summary"] = response_summary(turn);
  }
  return line;
}

/// Two passes, so that the sums do not depend on how far apart the values are.
std::map<std::string, Group> groups_of(const std::vector<Trajectory>& all) {
  std::map<std::string, Group> groups;
  for (const auto& trajectory : all) {
    for (std::size_t at = 0; at < trajectory.turns.size(); ++at) {
      Group& group = groups[group_of(trajectory.turns[at])];
      group.sum += trajectory.returns[at];
      ++group.size;
    }
  }
  for (const auto& trajectory : all) {
    for (std::size_t at = 0; at < trajectory.turns.size(); ++at) {
      Group& group = groups[group_of(trajectory.turns[at])];
      const double distance = trajectory.returns[at] - group.mean();
      group.squares += distance * distance;
    }
  }
  return groups;
}

/// What may leave, and the counts of what may not.
std::vector<Trajectory> allowed_trajectories(std::span<const SourceEpisode> sources,
                                             const HeldOut& held_out, const ExportOptions& options,
                                             Exported& result) {
  std::vector<Trajectory> allowed;
  for (const auto& source : sources) {
    if (source.episode.steps.empty()) continue;
    if (source.episode.provider != options.provider) {
      ++result.other_provider;
      continue;
    }
    for (auto& trajectory : trajectories_of(source)) {
      const auto& turns = trajectory.turns;
      const bool leaks = held_out.covers(source) ||
                         std::any_of(turns.begin(), turns.end(), [&](const Attempt& turn) {
                           return is_contaminated(turn, held_out);
                         });
      if (leaks) {
        result.heldout += std::ssize(turns);
      } else {
        allowed.push_back(std::move(trajectory));
      }
    }
  }
  return allowed;
}

}  // namespace

Exported export_trajectories(std::span<const SourceEpisode> sources, const HeldOut& held_out,
                             const ExportOptions& options) {
  Exported result;
  const auto all = allowed_trajectories(sources, held_out, options, result);
  const auto groups = groups_of(all);
  std::set<std::string> episodes;
  std::set<std::string> tasks;
  for (const auto& trajectory : all) {
    for (std::size_t at = 0; at < trajectory.turns.size(); ++at) {
      json line = line_of(trajectory, at, options);
      const Group& group = groups.at(line["group_id"].get<std::string>());
      line["group_mean"] = group.mean();
      line["group_std"] = group.deviation();
      line["group_size"] = group.size;
      result.text += sealed(std::move(line));
      ++result.lines;
      episodes.insert(trajectory.turns[at].episode().id.str());
      tasks.insert(trajectory.turns[at].episode().task.str());
    }
  }
  result.episodes = std::ssize(episodes);
  result.tasks = std::ssize(tasks);
  return result;
}

}  // namespace warpmind::agents
