#include "profilers/judge/relation_inputs.h"

#include "base/expression.h"
#include "base/sequence.h"
#include "base/text.h"
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/input_generator.h"
#include "profilers/judge/random_numbers.h"
#include "profilers/judge/recorded_draws.h"
#include "profilers/judge/reference_library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kRepetitions = 3;
/// A run may be off by its tolerance; runs of one kernel on the same inputs must agree far better.
constexpr double kRepetitionShare = 0.25;
/// Sums of two such numbers have 8 significant bits: exact in every floating dtype.
constexpr double kGrid = 16;
constexpr double kLargestSummand = 4;

bool is_changed(const Relation& relation, const std::string& name) {
  return contains(relation.arguments, name);
}

/// Plain distributions: scaled ones must neither overflow nor vanish.
Distribution plain_distribution(SplitMix& random) {
  constexpr std::array kPlain{Distribution::normal, Distribution::uniform, Distribution::exact};
  return kPlain[random.next() % kPlain.size()];
}

Result<RawInputs> draw_inputs(const Task& task, const Sizes& sizes, SplitMix& random) {
  const Distribution distribution = plain_distribution(random);
  RawInputs inputs;
  for (const Argument& argument : task.arguments) {
    if (!is_input(argument)) continue;
    const InputDraw draw{distribution_for(argument, distribution, random.next())};
    WARPMIND_TRY(inputs[argument.name], draw_argument(task, argument, sizes, draw, random.next()));
  }
  return inputs;
}

/// `change` on every element of the changed arguments.
template <class Change>
RawInputs changed(const Relation& relation, const Task& task, RawInputs inputs, Change change) {
  for (const Argument& argument : task.arguments) {
    if (!is_changed(relation, argument.name)) continue;
    std::string& raw = inputs.at(argument.name);
    std::vector<double> values = decode_elements(raw, argument.dtype);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = change(argument, i, values[i]);
    raw = encode_elements(values, argument.dtype);
  }
  return inputs;
}

std::string names_of(const Relation& relation) { return join_text(relation.arguments, " and "); }

RelatedRuns scaled_runs(const Relation& relation, const Task& task, const RawInputs& base,
                        SplitMix& random) {
  constexpr std::array kFactors{0.25, 0.5, 2.0, 4.0};
  const double factor = kFactors[random.next() % kFactors.size()];
  RelatedRuns runs;
  runs.inputs = {base, changed(relation, task, base,
                               [factor](const Argument& /*argument*/, std::size_t /*index*/,
                                        double value) { return value * factor; })};
  RunPrediction prediction;
  prediction.run = 1;
  prediction.terms = {{0, std::pow(factor, static_cast<double>(relation.degree))}};
  runs.predictions.push_back(std::move(prediction));
  runs.text = "scaling of " + names_of(relation) + " by " +
              (factor < 1 ? "1/" + std::to_string(static_cast<int>(1 / factor))
                          : std::to_string(static_cast<int>(factor))) +
              " (degree " + std::to_string(relation.degree) + ")";
  return runs;
}

double on_grid(double value) {
  return std::round(std::clamp(value, -kLargestSummand, kLargestSummand) * kGrid) / kGrid;
}

/// Integers (an index) stay what they are; only floating arguments are changed.
RelatedRuns added_runs(const Relation& relation, const Task& task, const RawInputs& base,
                       const RawInputs& other) {
  RelatedRuns runs;
  const auto round_all = [](const Argument& /*argument*/, std::size_t /*index*/, double value) {
    return on_grid(value);
  };
  const RawInputs first = changed(relation, task, base, round_all);
  // All but the changed arguments are the same in the three runs.
  RawInputs second = base;
  for (const std::string& name : relation.arguments) second[name] = other.at(name);
  second = changed(relation, task, std::move(second), round_all);
  std::map<std::string, std::vector<double>> summands;
  for (const Argument& argument : task.arguments) {
    if (!is_changed(relation, argument.name)) continue;
    summands[argument.name] = decode_elements(second.at(argument.name), argument.dtype);
  }
  RawInputs sum = changed(relation, task, first,
                          [&](const Argument& argument, std::size_t index, double value) {
                            return value + summands.at(argument.name)[index];
                          });
  runs.inputs = {first, std::move(second), std::move(sum)};
  RunPrediction prediction;
  prediction.run = 2;
  prediction.terms = {{0, 1}, {1, 1}};
  runs.predictions.push_back(std::move(prediction));
  runs.text = "additivity in " + names_of(relation);
  return runs;
}

Result<RelatedRuns> permuted_runs(const Relation& relation, const Task& task, const Sizes& sizes,
                                  const RawInputs& base, SplitMix& random) {
  RunPrediction prediction;
  prediction.run = 1;
  prediction.terms = {{0, 1}};
  RawInputs moved = base;
  for (const Argument& argument : task.arguments) {
    if (!is_changed(relation, argument.name)) continue;
    WARPMIND_TRY(const auto extents, extents_of(argument, sizes));
    const auto rows = static_cast<std::size_t>(extents.empty() ? 1 : extents.front());
    if (prediction.order.empty()) {
      prediction.order.resize(rows);
      std::iota(prediction.order.begin(), prediction.order.end(), std::int64_t{0});
      for (std::size_t i = rows; i > 1; --i) {
        std::swap(prediction.order[i - 1], prediction.order[random.next() % i]);
      }
    }
    if (prediction.order.size() != rows) {
      return fail(Errc::invalid_argument, "a permutation needs one slowest extent, and '" +
                                              argument.name + "' has " + std::to_string(rows) +
                                              " instead of " +
                                              std::to_string(prediction.order.size()));
    }
    const std::string& from = base.at(argument.name);
    std::string& to = moved.at(argument.name);
    const std::size_t row_bytes = from.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto source = static_cast<std::size_t>(prediction.order[row]);
      to.replace(row * row_bytes, row_bytes, from, source * row_bytes, row_bytes);
    }
  }
  RelatedRuns runs;
  runs.inputs = {base, std::move(moved)};
  runs.predictions.push_back(std::move(prediction));
  runs.text = "permutation of " + names_of(relation);
  return runs;
}

}  // namespace

Result<RelatedRuns> relate(const Relation& relation, const Task& task, const Sizes& sizes,
                           std::uint64_t seed) {
  SplitMix random(seed);
  WARPMIND_TRY(RawInputs base, draw_inputs(task, sizes, random));
  for (const std::string& name : relation.arguments) {
    if (!base.contains(name)) {
      return fail(Errc::invalid_argument, "the relation changes '" + name + "', which is no input");
    }
  }
  switch (relation.kind) {
    case RelationKind::scaling: return scaled_runs(relation, task, base, random);
    case RelationKind::permutation: return permuted_runs(relation, task, sizes, base, random);
    case RelationKind::additivity: break;
  }
  WARPMIND_TRY(const RawInputs other, draw_inputs(task, sizes, random));
  return added_runs(relation, task, base, other);
}

Result<RelatedRuns> repeat_runs(const Task& task, const Sizes& sizes, std::uint64_t seed) {
  SplitMix random(seed);
  WARPMIND_TRY(const RawInputs base, draw_inputs(task, sizes, random));
  RelatedRuns runs;
  runs.inputs.assign(kRepetitions, base);
  for (std::size_t run = 1; run < kRepetitions; ++run) {
    RunPrediction prediction;
    prediction.run = run;
    prediction.terms = {{0, 1}};
    prediction.share = kRepetitionShare / 2;  // two tolerances are summed
    runs.predictions.push_back(std::move(prediction));
  }
  runs.text = "repetition on the same inputs";
  return runs;
}

}  // namespace warpmind::profilers
