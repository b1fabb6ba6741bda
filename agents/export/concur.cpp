#include "agents/export/concur.h"

#include "agents/export/attempt.h"
#include "agents/export/export_line.h"
#include "agents/export/text_tokens.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warpmind::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kFewestRight = 3;      // of a task, before it is looked at
constexpr std::size_t kMostByThreshold = 2;  // criterion b, of a task
constexpr double kCopy = 0.8;                // overlap of 13-grams from which on it is a copy

struct Sample {
  Attempt attempt;
  std::int64_t length = 0;    ///< tokens of reasoning
  bool by_length = false;     ///< criterion a
  bool by_threshold = false;  ///< criterion b
  double arl = 0;             ///< average length over all samples of its task

  [[nodiscard]] double speedup() const { return *attempt.speedup; }
  [[nodiscard]] bool is_measured() const { return attempt.is_right && attempt.kernel_ns; }
  /// Total order of a task's samples, in which ties go to the earlier one.
  [[nodiscard]] auto place() const {
    return std::tuple(attempt.episode().id.str(), attempt.position);
  }
};

bool is_fused(const Sample& sample) {
  const Episode& episode = sample.attempt.episode();
  return episode.operator_family.starts_with("fused") || episode.operator_family == "attention" ||
         episode.steps.front().candidate.kernel.plan.launches.size() > 1;
}

/// Inside the noise of each other: one lies in the other's interval.
bool counts_as_equal(const Sample& a, const Sample& b) {
  const auto inside = [](const Sample& x, const Sample& of) {
    return x.speedup() >= of.attempt.speedup_ci95[0] && x.speedup() <= of.attempt.speedup_ci95[1];
  };
  return inside(a, b) || inside(b, a);
}

bool is_faster(const Sample* a, const Sample* b) {
  return a->speedup() != b->speedup() ? a->speedup() > b->speedup() : a->place() < b->place();
}

bool is_shorter(const Sample* a, const Sample* b) {
  return a->length != b->length ? a->length < b->length : is_faster(a, b);
}

/// Marks the samples of one task that a criterion picks.
void mark(std::vector<Sample>& samples, double threshold) {
  double sum = 0;
  std::vector<Sample*> ok;
  for (auto& sample : samples) {
    sum += static_cast<double>(sample.length);
    if (sample.is_measured()) ok.push_back(&sample);
  }
  for (auto& sample : samples) sample.arl = sum / static_cast<double>(samples.size());
  if (ok.size() < kFewestRight) return;
  std::sort(ok.begin(), ok.end(), is_faster);
  Sample* shortest = *std::min_element(ok.begin(), ok.end(), is_shorter);
  shortest->by_length = shortest == ok.front() || counts_as_equal(*shortest, *ok.front());
  for (std::size_t i = 0; i < std::min(ok.size(), kMostByThreshold); ++i) {
    ok[i]->by_threshold = ok[i]->speedup() >= threshold;
  }
}

using Tasks = std::map<std::string, std::vector<Sample>>;

Tasks samples_of(std::span<const SourceEpisode> sources, const HeldOut& held_out,
                 const ExportOptions& options, Exported& result) {
  Tasks tasks;
  for (const auto& source : sources) {
    if (source.episode.provider != options.provider) {
      ++result.other_provider;
      continue;
    }
    const bool covered = held_out.covers(source);
    for (std::size_t at = 1; at < source.episode.steps.size(); ++at) {
      const auto attempt = attempt_at(source, at);
      if (!attempt) continue;
      if (covered || is_contaminated(*attempt, held_out)) {
        ++result.heldout;
      } else if (attempt->exchange == nullptr || attempt->exchange->reasoning.empty()) {
        ++result.no_reasoning;
      } else {
        tasks[source.episode.task.str()].push_back(
            {*attempt, count_tokens(attempt->exchange->reasoning)});
      }
    }
  }
  return tasks;
}

/// Criterion a before b, then the faster: what comes first stays when others are its copies, or
/// too many.
std::vector<const Sample*> ranked_picks(const Tasks& tasks) {
  std::vector<const Sample*> picks;
  for (const auto& [task, samples] : tasks) {
    for (const auto& sample : samples) {
      if (sample.by_length || sample.by_threshold) picks.push_back(&sample);
    }
  }
  std::sort(picks.begin(), picks.end(), [](const Sample* a, const Sample* b) {
    return a->by_length != b->by_length ? a->by_length : is_faster(a, b);
  });
  return picks;
}

std::vector<const Sample*> without_copies(const std::vector<const Sample*>& picks,
                                          std::int64_t& copies) {
  std::vector<const Sample*> kept;
  std::vector<std::vector<std::uint64_t>> grams;
  std::set<std::string> hashes;
  for (const Sample* pick : picks) {
    const std::string& source = pick->attempt.step().candidate.kernel.source;
    auto own = grams_of(source);
    const bool is_new = hashes.insert(normalised_hash(source)).second;
    const bool is_copy = !is_new || std::any_of(grams.begin(), grams.end(), [&](const auto& other) {
      return overlap(own, other) >= kCopy;
    });
    if (is_copy) {
      ++copies;
      continue;
    }
    kept.push_back(pick);
    grams.push_back(std::move(own));
  }
  return kept;
}

std::vector<const Sample*> balanced(const std::vector<const Sample*>& picks, double balance,
                                    Exported& result) {
  const auto fused =
      std::count_if(picks.begin(), picks.end(), [](const Sample* pick) { return is_fused(*pick); });
  const auto single = std::ssize(picks) - fused;
  if (balance <= 0 || fused == single) return picks;
  const auto smaller = std::min<std::int64_t>(fused, single);
  if (smaller == 0) {
    result.notes.push_back(std::string("there are only ") + (fused == 0 ? "single" : "fused") +
                           " operators: nothing was balanced");
    return picks;
  }
  const auto most = static_cast<std::int64_t>(balance * static_cast<double>(smaller));
  std::int64_t taken = 0;
  std::vector<const Sample*> kept;
  for (const Sample* pick : picks) {
    if (is_fused(*pick) == (fused > single) && ++taken > most) {
      ++result.unbalanced;
    } else {
      kept.push_back(pick);
    }
  }
  return kept;
}

json line_of(const Sample& sample, const ExportOptions& options) {
  const Attempt& attempt = sample.attempt;
  const auto& device = attempt.step().verdict.measurement->device;
  json criteria = json::array();
  if (sample.by_length) criteria.push_back("a");
  if (sample.by_threshold) criteria.push_back("b");
  json line{
      {"schema", kConcurSchema},
      {"task_id", attempt.episode().task.str()},
      {"suite", json()},
      {"licence", known(attempt.source->licence)},
      {"kind", is_fused(sample) ? "fused" : "single"},
      {"prompt", attempt.exchange->prompt},
      {"reasoning", attempt.exchange->reasoning},
      {"model", known(author_of(attempt))},
      {"purpose", attempt.exchange->purpose},
      {"speedup", sample.speedup()},
      {"ci95", attempt.speedup_ci95[1] > 0 ? json(attempt.speedup_ci95) : json()},
      {"threshold", options.threshold},
      {"arch", "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor)},
      {"len_tokens", sample.length},
      {"tokenizer", kTokenizer},
      {"arl", sample.arl},
      {"criteria", std::move(criteria)},
      {"provenance", provenance_of(attempt, options.base_id)}};
  add_kernel(line, attempt.step().candidate.kernel);
  return line;
}

}  // namespace

Exported export_concur(std::span<const SourceEpisode> sources, const HeldOut& held_out,
                       const ExportOptions& options) {
  Exported result;
  Tasks tasks = samples_of(sources, held_out, options, result);
  for (auto& [task, samples] : tasks) mark(samples, options.threshold);
  auto picks = without_copies(ranked_picks(tasks), result.duplicates);
  picks = balanced(picks, options.balance, result);
  std::sort(picks.begin(), picks.end(), [](const Sample* a, const Sample* b) {
    return std::tuple(a->attempt.episode().task.str(), a->place()) <
           std::tuple(b->attempt.episode().task.str(), b->place());
  });
  std::set<std::string> episodes;
  std::set<std::string> chosen;
  for (const Sample* pick : picks) {
    result.text += sealed(line_of(*pick, options));
    ++result.lines;
    episodes.insert(pick->attempt.episode().id.str());
    chosen.insert(pick->attempt.episode().task.str());
  }
  result.episodes = std::ssize(episodes);
  result.tasks = std::ssize(chosen);
  if (result.no_reasoning > 0) {
    result.notes.push_back(std::to_string(result.no_reasoning) +
                           " attempts have no reasoning text, and were left out");
  }
  return result;
}

}  // namespace warpmind::agents
