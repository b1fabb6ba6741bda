#pragma once
/// \file
/// What may become an insight or evidence of one. Every refusal is one sentence: what, where, how
/// to fix.

#include "base/model/insight.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_event.h"
#include "knowledge_base/insights/record_reader.h"

#include <set>
#include <string>

namespace warpmind::knowledge_base {

/// Brings a claim into its one form: sorted lists without repeats, "sm_90" as a range of
/// capabilities instead of a device. Before its id is made.
void normalise(Insight& claim);
void normalise(InsightScope& scope);

/// Text, names, ranges, kind, signatures; that it starts as a claim. Errors: invalid_argument.
[[nodiscard]] Result<void> check_claim(const Insight& claim);
[[nodiscard]] Result<void> check_amendment(const InsightAmendment& amendment);
[[nodiscard]] Result<void> check_attestation(const Attestation& attestation);
[[nodiscard]] Result<void> check_actor(const Actor& actor);
[[nodiscard]] Result<void> check_source(std::string_view source);
[[nodiscard]] Result<void> check_technique(const Technique& technique);

/// A model of the device table, or one that was measured here before. Empty is fine.
[[nodiscard]] Result<void> check_device(const RecordReader& reader, const std::string& device);

/// That superseding by `successor` closes no circle. Errors: invalid_argument.
[[nodiscard]] Result<void> check_no_cycle(const RecordReader& reader, const InsightId& id,
                                          const InsightId& successor);
/// That no chain of `claim.supersedes` leads back to it; those that are not in the base end one.
[[nodiscard]] Result<void> check_supersedes(const RecordReader& reader, const Insight& claim);

/// Reads the cited step and fills in what follows from it: gain, task, device, capability, outcome.
/// Numbers of an insight come from there and nowhere else. Errors: invalid_argument when the step
/// is not there, is of another provider or technique, lies outside the scope, says nothing, or says
/// the opposite.
[[nodiscard]] Result<void> check_evidence(const RecordReader& reader, const Insight& insight,
                                          InsightEvent& event);

}  // namespace warpmind::knowledge_base
