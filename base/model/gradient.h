#pragma once
/// \file
/// Textual gradients: what a step or an episode taught, as words beside the numbers that they rest
/// on. Code checks the words against the numbers (docs/learning.md).

#include "base/enum_names.h"
#include "base/ids.h"
#include "base/model/bottleneck.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// How one metric moved from the edited kernel to the candidate.
struct MetricChange {
  std::string name;
  double before = 0;
  double after = 0;
  std::string unit;
  bool operator==(const MetricChange&) const = default;
};

/// Critique of one step: predicted against measured, and why. Feedback only: it changes nothing.
struct Gradient {
  std::string author;                       ///< "builtin critic", or a language model's name
  double predicted_log_gain = 0;            ///< over the edited kernel
  std::optional<double> measured_log_gain;  ///< absent when nothing was timed
  std::vector<MetricChange> changes;        ///< the largest first, at most 8
  std::optional<BottleneckClass> after;     ///< bottleneck of the candidate, when it was diagnosed
  std::string text;  ///< for whoever writes the next candidate, at most 1000 characters
  bool operator==(const Gradient&) const = default;
};

enum class ClaimKind {
  positive,         ///< doing it helps
  negative,         ///< doing it does not help, or fails
  precondition,     ///< something must hold before it pays
  diagnosis_error,  ///< the bottleneck was another one
};
WARPMIND_ENUM_NAMES(ClaimKind, {ClaimKind::positive, "positive"}, {ClaimKind::negative, "negative"},
                    {ClaimKind::precondition, "precondition"},
                    {ClaimKind::diagnosis_error, "diagnosis_error"});

/// What a critic says of an episode, with the steps that it rests on.
struct CritiqueClaim {
  ClaimKind kind = ClaimKind::positive;
  std::string text;       ///< one or two sentences, at most 400 characters
  std::string mechanism;  ///< why, at most 400 characters; may be empty
  std::string technique;  ///< of the cited steps
  std::string parameters;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  std::vector<std::int64_t> steps;  ///< cited, at least one
  double log_gain = 0;              ///< effect that is claimed
  double confidence = 0.5;          ///< 0 … 1, the critic's own
  std::string refused;              ///< why code refused it; empty = it was taken
  bool operator==(const CritiqueClaim&) const = default;
};

enum class DeltaKind {
  add,          ///< a new insight
  amend,        ///< other words for an insight, or a line more on a technique card
  split_scope,  ///< an insight gives way to narrower ones
  merge,        ///< an insight gives way to another that says the same
  deprecate,    ///< an insight is taken off offer
};
WARPMIND_ENUM_NAMES(DeltaKind, {DeltaKind::add, "add"}, {DeltaKind::amend, "amend"},
                    {DeltaKind::split_scope, "split_scope"}, {DeltaKind::merge, "merge"},
                    {DeltaKind::deprecate, "deprecate"});

/// One change of the base that a critic asks for. Never a rewrite of a whole text.
struct Delta {
  DeltaKind kind = DeltaKind::add;
  std::int64_t claim = -1;  ///< position in Episode::claims that it rests on
  InsightId target;         ///< amend, split_scope, merge, deprecate
  InsightId into;           ///< merge: the one that stays
  std::string technique;    ///< amend of a card: its name
  std::string field;        ///< amend of a card: "when", "when_not", "how" or "risks"
  std::string text;         ///< amend: the new claim, or the line for the card
  std::vector<BottleneckClass> bottlenecks;  ///< split_scope: where the narrower one holds
  std::string refused;                       ///< why the gate refused it; empty = not yet, or taken
  bool operator==(const Delta&) const = default;
};

}  // namespace warpmind
