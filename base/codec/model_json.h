#pragma once
/// \file
/// JSON conversions of every value in base/model; of those that describe themselves (JobRequest)
/// by base/codec/described_json.h. Include from .cpp files only.
/// Member names on disk and on the wire are the field names; a missing member keeps its default,
/// so that an old record is read by every later build.

#include "base/codec/described_json.h"
#include "base/launch_profile.h"
#include "base/model/advice.h"
#include "base/model/episode.h"
#include "base/model/insight.h"
#include "base/model/job.h"
#include "base/model/technique.h"

namespace warpmind {

// Defined in model_json.cpp, so that each including file pays for declarations only.
// A type name takes no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define WARPMIND_DECLARE_JSON(T)                   \
  void to_json(nlohmann::json& j, const T& value); \
  void from_json(const nlohmann::json& j, T& value)
// NOLINTEND(bugprone-macro-parentheses)

WARPMIND_DECLARE_JSON(ScratchBuffer);
WARPMIND_DECLARE_JSON(Launch);
WARPMIND_DECLARE_JSON(LaunchPlan);
WARPMIND_DECLARE_JSON(Kernel);
WARPMIND_DECLARE_JSON(RecordedInput);
WARPMIND_DECLARE_JSON(Argument);
WARPMIND_DECLARE_JSON(Workload);
WARPMIND_DECLARE_JSON(Contract);
WARPMIND_DECLARE_JSON(CostModel);
WARPMIND_DECLARE_JSON(HiddenRange);
WARPMIND_DECLARE_JSON(Relation);
WARPMIND_DECLARE_JSON(Task);
WARPMIND_DECLARE_JSON(TimingModel);
WARPMIND_DECLARE_JSON(DeviceSpec);
WARPMIND_DECLARE_JSON(DeviceIdentity);
WARPMIND_DECLARE_JSON(BestLibrary);
WARPMIND_DECLARE_JSON(Limit);
WARPMIND_DECLARE_JSON(Measurement);
WARPMIND_DECLARE_JSON(Comparison);
WARPMIND_DECLARE_JSON(Metric);
WARPMIND_DECLARE_JSON(KernelProfile);
WARPMIND_DECLARE_JSON(LineProfile);
WARPMIND_DECLARE_JSON(Profile);
WARPMIND_DECLARE_JSON(LaunchRow);
WARPMIND_DECLARE_JSON(LaunchChange);
WARPMIND_DECLARE_JSON(StageReport);
WARPMIND_DECLARE_JSON(KernelResources);
WARPMIND_DECLARE_JSON(BuildReport);
WARPMIND_DECLARE_JSON(Correctness);
WARPMIND_DECLARE_JSON(SimulatorFinding);
WARPMIND_DECLARE_JSON(Verdict);
WARPMIND_DECLARE_JSON(DecidingMetric);
WARPMIND_DECLARE_JSON(Cause);
WARPMIND_DECLARE_JSON(LaunchState);
WARPMIND_DECLARE_JSON(Bottleneck);
WARPMIND_DECLARE_JSON(InsightScope);
WARPMIND_DECLARE_JSON(InsightAction);
WARPMIND_DECLARE_JSON(Provenance);
WARPMIND_DECLARE_JSON(EvidenceRef);
WARPMIND_DECLARE_JSON(Attestation);
WARPMIND_DECLARE_JSON(Utility);
WARPMIND_DECLARE_JSON(Insight);
WARPMIND_DECLARE_JSON(Technique);
WARPMIND_DECLARE_JSON(Fact);
WARPMIND_DECLARE_JSON(RetrievedInsight);
WARPMIND_DECLARE_JSON(TechniqueAdvice);
WARPMIND_DECLARE_JSON(MoveAdvice);
WARPMIND_DECLARE_JSON(RememberedKernel);
WARPMIND_DECLARE_JSON(FirstAdvice);
WARPMIND_DECLARE_JSON(Advice);
WARPMIND_DECLARE_JSON(Candidate);
WARPMIND_DECLARE_JSON(MetricChange);
WARPMIND_DECLARE_JSON(Gradient);
WARPMIND_DECLARE_JSON(CritiqueClaim);
WARPMIND_DECLARE_JSON(Delta);
WARPMIND_DECLARE_JSON(ModelSpending);
WARPMIND_DECLARE_JSON(Exchange);
WARPMIND_DECLARE_JSON(Exposure);
WARPMIND_DECLARE_JSON(Step);
WARPMIND_DECLARE_JSON(Episode);
WARPMIND_DECLARE_JSON(WriteBackReceipt);
WARPMIND_DECLARE_JSON(Budget);
WARPMIND_DECLARE_JSON(QueueTerms);
WARPMIND_DECLARE_JSON(Spent);
WARPMIND_DECLARE_JSON(Attempt);
WARPMIND_DECLARE_JSON(Job);

#undef WARPMIND_DECLARE_JSON

}  // namespace warpmind
