#include "base/codec/model_json.h"

#include "base/best_library.h"
#include "base/limit.h"
#include "base/model/device_fields.h"
#include "base/wire_type.h"

// nlohmann's own macro defines inline functions; this one defines the declared ones from the same
// pieces. NLOHMANN_JSON_EXPAND and _PASTE apply _TO, _FROM_WITH_DEFAULT and WARPMIND_MEMBER to each
// member name.
#define WARPMIND_JSON(Type, ...)                                                            \
  void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {              \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) {            \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }                                                                                         \
  WARPMIND_MEMBERS(Type, nothing_more, __VA_ARGS__)
#define WARPMIND_MEMBER(member) members.required(#member, value.member);
/// `more(members, value)` adds what the JSON has beyond the members that are listed.
#define WARPMIND_MEMBERS(Type, more, ...)                                   \
  template <>                                                               \
  std::vector<WireMember> model_members<Type>() {                           \
    const Type value{};                                                     \
    WireMembers members;                                                    \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(WARPMIND_MEMBER, __VA_ARGS__)) \
    more(members, value);                                                   \
    return std::move(members.all);                                          \
  }

namespace warpmind {

namespace {

template <class Struct, std::size_t N>
void write_fields(nlohmann::json& json, const Struct& value,
                  const std::array<DeviceField<Struct>, N>& fields) {
  for (const auto& field : fields) {
    std::visit([&](auto member) { json[field.name] = value.*member; }, field.member);
  }
}

/// Those that are absent get their defaults.
template <class Struct, std::size_t N>
void read_fields(const nlohmann::json& json, Struct& value,
                 const std::array<DeviceField<Struct>, N>& fields) {
  const Struct otherwise{};
  for (const auto& field : fields) {
    std::visit(
        [&](auto member) {
          codec::take_member(json, field.name, value.*member, otherwise.*member);
        },
        field.member);
  }
}

/// An expression; a whole number stands for itself, as in task.toml.
std::string expression_in(const nlohmann::json& value) {
  return value.is_number_integer() ? value.dump() : value.get<std::string>();
}

/// Takes the member `name` where it is there.
void take_expression(const nlohmann::json& object, const char* name, std::string& into) {
  const auto found = object.find(name);
  if (found == object.end()) return;
  try {
    into = expression_in(*found);
  } catch (const std::exception& error) {
    throw codec::misfit_of(name, error);
  }
}

/// One to three of them, as in task.toml; the others are 1.
void take_extents(const nlohmann::json& object, const char* name,
                  std::array<std::string, 3>& into) {
  const auto found = object.find(name);
  if (found == object.end()) return;
  if (!found->is_array() || found->empty() || found->size() > into.size()) {
    throw codec::JsonMisfit(name, "must be a list of one to three extents, such as [\"rows\"]");
  }
  try {
    for (std::size_t i = 0; i < found->size(); ++i) into.at(i) = expression_in((*found)[i]);
  } catch (const std::exception& error) {
    throw codec::misfit_of(name, error);
  }
}

/// Both bounds are 0 where nobody can say (base/prediction_interval.h).
void add_bounds(nlohmann::json& object, const char* low_name, double low, const char* high_name,
                double high) {
  object[low_name] = high > 0 ? nlohmann::json(low) : nlohmann::json();
  object[high_name] = high > 0 ? nlohmann::json(high) : nlohmann::json();
}

/// null is 0; absent is `otherwise`.
void take_bound(const nlohmann::json& object, const char* name, double& into, double otherwise) {
  std::optional<double> bound;
  codec::take_member(object, name, bound, std::optional<double>(otherwise));
  into = bound.value_or(0);
}

void nothing_more(WireMembers& /*members*/, const auto& /*value*/) {}

void bounds(WireMembers& members, const char* low_name, const char* high_name) {
  constexpr auto kDoc = "of the interval; null: nobody can say";
  members.required(low_name, std::optional<double>(), kDoc);
  members.required(high_name, std::optional<double>(), kDoc);
}

}  // namespace

void to_json(nlohmann::json& nlohmann_json_j, const ScratchBuffer& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, name, dtype, elements, zeroed))
}
void from_json(const nlohmann::json& nlohmann_json_j, ScratchBuffer& nlohmann_json_t) {
  const ScratchBuffer nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, name, dtype, zeroed))
  nlohmann_json_t.elements = nlohmann_json_default_obj.elements;
  take_expression(nlohmann_json_j, "elements", nlohmann_json_t.elements);
}
WARPMIND_MEMBERS(ScratchBuffer, nothing_more, name, dtype, elements, zeroed)
void to_json(nlohmann::json& nlohmann_json_j, const Launch& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(
      NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, kernel, grid, block, shared_bytes, arguments))
  // Only where it is set: identities of kernels are hashes of this text.
  if (nlohmann_json_t.cooperative) nlohmann_json_j["cooperative"] = true;
}
void from_json(const nlohmann::json& nlohmann_json_j, Launch& nlohmann_json_t) {
  const Launch nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(
      NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, kernel, arguments, cooperative))
  nlohmann_json_t.grid = nlohmann_json_default_obj.grid;
  nlohmann_json_t.block = nlohmann_json_default_obj.block;
  nlohmann_json_t.shared_bytes = nlohmann_json_default_obj.shared_bytes;
  take_extents(nlohmann_json_j, "grid", nlohmann_json_t.grid);
  take_extents(nlohmann_json_j, "block", nlohmann_json_t.block);
  take_expression(nlohmann_json_j, "shared_bytes", nlohmann_json_t.shared_bytes);
}
static void more_of_launch(WireMembers& members, const Launch& launch) {
  members.optional("cooperative", launch.cooperative, "only where it is set");
}
WARPMIND_MEMBERS(Launch, more_of_launch, kernel, grid, block, shared_bytes, arguments)
WARPMIND_JSON(LaunchPlan, constants, scratch, launches)
WARPMIND_JSON(Kernel, tier, source, plan, entry, build_flags)
WARPMIND_JSON(RecordedInput, values, offset, reorder, most, low, high, mean, deviation, zeros,
              denormals, not_finite, sorted, shares)
void to_json(nlohmann::json& nlohmann_json_j, const Argument& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, name, kind, dtype, shape, value,
                                           distributions, low, high))
  // Only where it is known: identities of tasks are hashes of this text.
  if (nlohmann_json_t.recorded) nlohmann_json_j["recorded"] = *nlohmann_json_t.recorded;
}
void from_json(const nlohmann::json& nlohmann_json_j, Argument& nlohmann_json_t) {
  const Argument nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, name, kind, dtype,
                                           shape, value, distributions, low, high))
  nlohmann_json_t.recorded.reset();
  if (nlohmann_json_j.contains("recorded")) {
    nlohmann_json_t.recorded = nlohmann_json_j.at("recorded").get<RecordedInput>();
  }
}
static void more_of_argument(WireMembers& members, const Argument& /*argument*/) {
  members.optional("recorded", RecordedInput{}, "only where it is known");
}
WARPMIND_MEMBERS(Argument, more_of_argument, name, kind, dtype, shape, value, distributions, low,
                 high)
WARPMIND_JSON(Workload, name, sizes, timed)
WARPMIND_JSON(Contract, tolerance, accumulate, ulp, reduction_length, tf32_allowed, deterministic)
WARPMIND_JSON(CostModel, bytes, flops)
WARPMIND_JSON(HiddenRange, size, low, high, multiple_of)
WARPMIND_JSON(Relation, kind, arguments, degree)
WARPMIND_JSON(Task, id, name, description, operator_family, split, arguments, workloads, contract,
              cost, reference, kernel, directory, hidden, relations)
template <class Struct, std::size_t N>
static void add_fields(WireMembers& members, const Struct& value,
                       const std::array<DeviceField<Struct>, N>& fields) {
  for (const auto& field : fields) {
    std::visit([&](auto member) { members.required(field.name, value.*member); }, field.member);
  }
}
template <>
std::vector<WireMember> model_members<TimingModel>() {
  WireMembers members;
  add_fields(members, TimingModel{}, kTimingFields);
  return std::move(members.all);
}
template <>
std::vector<WireMember> model_members<DeviceSpec>() {
  WireMembers members;
  add_fields(members, DeviceSpec{}, kDeviceFields);
  members.required("timing", TimingModel{});
  return std::move(members.all);
}
void to_json(nlohmann::json& json, const TimingModel& model) {
  write_fields(json, model, kTimingFields);
}
void from_json(const nlohmann::json& json, TimingModel& model) {
  read_fields(json, model, kTimingFields);
}
void to_json(nlohmann::json& json, const DeviceSpec& device) {
  write_fields(json, device, kDeviceFields);
  json["timing"] = device.timing;
}
void from_json(const nlohmann::json& json, DeviceSpec& device) {
  read_fields(json, device, kDeviceFields);
  codec::take_member(json, "timing", device.timing, TimingModel{});
}
WARPMIND_JSON(DeviceIdentity, name, uuid, compute_major, compute_minor, sm_count, memory_bytes,
              l2_bytes, driver, runtime)
WARPMIND_JSON(Limit, ns, by, bytes, flops, bandwidth_gb_s, peak_gflops, peak, counted, measured,
              unknown)
WARPMIND_JSON(BestLibrary, library, call, ns, unknown)
#define WARPMIND_MEASUREMENT                                                         \
  provider, device, toolkit, workload, tier, sandboxed, cold_l2, median_ns, samples, \
      launches_per_sample, sm_clock_mhz, harness, bound, confidence
void to_json(nlohmann::json& nlohmann_json_j, const Measurement& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, WARPMIND_MEASUREMENT))
  add_bounds(nlohmann_json_j, "low_ns", nlohmann_json_t.low_ns, "high_ns", nlohmann_json_t.high_ns);
  // What was measured here is written as it always was.
  if (!nlohmann_json_t.host.empty()) nlohmann_json_j["host"] = nlohmann_json_t.host;
  if (nlohmann_json_t.best_library != BestLibrary{}) {
    nlohmann_json_j["best_library"] = nlohmann_json_t.best_library;
    const auto times = times_best_library(nlohmann_json_t.best_library, nlohmann_json_t.median_ns);
    nlohmann_json_j["times_best_library"] = times ? nlohmann::json(*times) : nlohmann::json();
  }
  if (nlohmann_json_t.limit == Limit{}) return;
  nlohmann_json_j["limit"] = nlohmann_json_t.limit;
  // Derived, for those who read the JSON; null = no share can be said.
  const auto share = share_of_limit(nlohmann_json_t.limit, nlohmann_json_t.median_ns);
  nlohmann_json_j["share_of_limit"] = share ? nlohmann::json(*share) : nlohmann::json();
}
void from_json(const nlohmann::json& nlohmann_json_j, Measurement& nlohmann_json_t) {
  const Measurement nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, WARPMIND_MEASUREMENT))
  take_bound(nlohmann_json_j, "low_ns", nlohmann_json_t.low_ns, nlohmann_json_default_obj.low_ns);
  take_bound(nlohmann_json_j, "high_ns", nlohmann_json_t.high_ns,
             nlohmann_json_default_obj.high_ns);
  nlohmann_json_t.host = nlohmann_json_j.value("host", std::string());
  nlohmann_json_t.limit = nlohmann_json_j.value("limit", Limit{});
  nlohmann_json_t.best_library = nlohmann_json_j.value("best_library", BestLibrary{});
}
static void more_of_measurement(WireMembers& members, const Measurement& measured) {
  bounds(members, "low_ns", "high_ns");
  members.optional("host", measured.host, "where a worker on another machine measured");
  members.optional("best_library", measured.best_library, "where one was looked for");
  members.optional("times_best_library", std::optional<double>(),
                   "how many times as fast as the best library call; null: there is none");
  members.optional("limit", measured.limit, "where it was computed");
  members.optional("share_of_limit", std::optional<double>(),
                   "time of the limit / median; null: no limit is known");
}
WARPMIND_MEMBERS(Measurement, more_of_measurement, WARPMIND_MEASUREMENT)
#undef WARPMIND_MEASUREMENT
void to_json(nlohmann::json& nlohmann_json_j, const Comparison& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, ratio, confidence, processes, quads))
  add_bounds(nlohmann_json_j, "low", nlohmann_json_t.low, "high", nlohmann_json_t.high);
}
void from_json(const nlohmann::json& nlohmann_json_j, Comparison& nlohmann_json_t) {
  const Comparison nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(
      NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, ratio, confidence, processes, quads))
  take_bound(nlohmann_json_j, "low", nlohmann_json_t.low, nlohmann_json_default_obj.low);
  take_bound(nlohmann_json_j, "high", nlohmann_json_t.high, nlohmann_json_default_obj.high);
}
static void more_of_comparison(WireMembers& members, const Comparison& /*compared*/) {
  bounds(members, "low", "high");
}
WARPMIND_MEMBERS(Comparison, more_of_comparison, ratio, confidence, processes, quads)
WARPMIND_JSON(Metric, name, value, unit, origin)
WARPMIND_JSON(KernelProfile, kernel, time_share, metrics)
WARPMIND_JSON(LineProfile, kernel, line, metrics)
#define WARPMIND_PROFILE tier, workload, kernels, lines, absent, note
void to_json(nlohmann::json& nlohmann_json_j, const Profile& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, WARPMIND_PROFILE))
  // Records of builds that did not know it are written as they always were.
  if (nlohmann_json_t.caches != CacheState::unknown) {
    nlohmann_json_j["caches"] = nlohmann_json_t.caches;
  }
}
void from_json(const nlohmann::json& nlohmann_json_j, Profile& nlohmann_json_t) {
  const Profile nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, WARPMIND_PROFILE))
  nlohmann_json_t.caches = nlohmann_json_j.value("caches", CacheState::unknown);
}
static void more_of_profile(WireMembers& members, const Profile& profile) {
  members.optional("caches", profile.caches, "where it is known");
}
WARPMIND_MEMBERS(Profile, more_of_profile, WARPMIND_PROFILE)
#undef WARPMIND_PROFILE
WARPMIND_JSON(LaunchRow, kernel, name, time_share, time_ns, bytes, memory, gb_per_s, flops,
              gflop_per_s, limited_by, pipe, pipe_percent, stall, stall_percent, line, stall_origin)
WARPMIND_JSON(LaunchChange, before, after, paired_by)
WARPMIND_JSON(StageReport, stage, seconds, passed, detail)
WARPMIND_JSON(KernelResources, kernel, registers, static_shared_bytes, stack_bytes,
              spill_store_bytes, spill_load_bytes)
#define WARPMIND_BUILD_REPORT succeeded, from_cache, architecture, kernels, diagnostics
void to_json(nlohmann::json& nlohmann_json_j, const BuildReport& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, WARPMIND_BUILD_REPORT))
  // Records of builds that did not know it are written as they always were.
  if (!nlohmann_json_t.machine_code.empty()) {
    nlohmann_json_j["machine_code"] = nlohmann_json_t.machine_code;
  }
}
void from_json(const nlohmann::json& nlohmann_json_j, BuildReport& nlohmann_json_t) {
  const BuildReport nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, WARPMIND_BUILD_REPORT))
  nlohmann_json_t.machine_code = nlohmann_json_j.value("machine_code", std::string());
}
static void more_of_build(WireMembers& members, const BuildReport& build) {
  members.optional("machine_code", build.machine_code, "digest, where it is known");
}
WARPMIND_MEMBERS(BuildReport, more_of_build, WARPMIND_BUILD_REPORT)
#undef WARPMIND_BUILD_REPORT
WARPMIND_JSON(Correctness, passed, cases, elements, worst_error_ratio, baseline_error, worst_case,
              worst_relative_l2, worst_ulp, unchecked)
WARPMIND_JSON(SimulatorFinding, kind, defect, kernel, line, where, count)
WARPMIND_JSON(Verdict, outcome, reason, stages, build, correctness, measurement, comparison,
              profile, findings, effort)
WARPMIND_JSON(DecidingMetric, name, value, needed, unit)
WARPMIND_JSON(Cause, which, kernel, at_stake_ns, share, confidence, explanation, deciders)
WARPMIND_JSON(LaunchState, kernel, time_share, primary, confidence)
WARPMIND_JSON(Bottleneck, primary, secondary, kernel, deciders, headroom, confidence, explanation,
              launches, causes)
WARPMIND_JSON(InsightScope, operator_families, dtypes, bottlenecks, capability_min, capability_max,
              device, contracts)
WARPMIND_JSON(InsightAction, techniques, parameters)
WARPMIND_JSON(Provenance, source, author, model, prompt_hash, licence, toolkit, driver)
WARPMIND_JSON(EvidenceRef, episode, step, task, operator_family, provider, device, supports,
              log_gain, confirmed)
WARPMIND_JSON(Attestation, origin, sequence, state, supports, contradicts, mean_log_gain)
WARPMIND_JSON(Utility, mean, deviation, low, high, observations)
WARPMIND_JSON(Insight, id, kind, claim, mechanism, action, scope, profile_signature, code_signature,
              state, trust, pinned, space, provenance, evidence, attestations, supersedes,
              superseded_by, utility, state_reason, created, changed, document, created_at,
              changed_at)
WARPMIND_JSON(Technique, name, title, category, bottlenecks, capability_min, capability_max, when,
              when_not, how, parameters, risks, generations, aliases, typical_low, typical_high,
              source, edited)
WARPMIND_JSON(Fact, subject, name, value, unit, source, note)
WARPMIND_JSON(ExpectationAdvice, factor, low, high, comparisons, standing)
WARPMIND_JSON(TechniqueAdvice, technique, predicted_gain, gain_low, gain_high, feasibility,
              observations, scope, why, expectation)
WARPMIND_JSON(MoveAdvice, technique, parameters, predicted_gain, gain_low, gain_high, feasibility,
              observations, scope, expectation)
WARPMIND_JSON(RememberedKernel, kernel, episode, speedup, device, techniques)
WARPMIND_JSON(RetrievedInsight, id, kind, state, trust, claim, action, utility, score, propensity,
              shown, why)
WARPMIND_JSON(FirstAdvice, against, text, technique, by_agent)
WARPMIND_JSON(Advice, techniques, remembered, episodes_seen, insights, insights_note, moves, first)
WARPMIND_JSON(Candidate, kernel, parent, proposer, technique, parameters, rationale, predicted_gain,
              predicted_low, predicted_high, prior_gain, model)
WARPMIND_JSON(MetricChange, name, before, after, unit)
WARPMIND_JSON(Gradient, author, predicted_log_gain, measured_log_gain, changes, after, text)
WARPMIND_JSON(CritiqueClaim, kind, text, mechanism, technique, parameters, bottleneck, steps,
              log_gain, confidence, refused)
WARPMIND_JSON(Delta, kind, claim, target, into, technique, field, text, bottlenecks, refused)
WARPMIND_JSON(ModelSpending, calls, input_tokens, cached_tokens, written_tokens, output_tokens,
              reasoning_tokens, micro_usd, seconds)
WARPMIND_JSON(Exchange, purpose, model, prompt_hash, prompt, reasoning, answer)
WARPMIND_JSON(Exposure, insight, propensity, shown)
WARPMIND_JSON(Step, index, candidate, before, verdict, accepted, exposures, edited, promotion,
              gradient, score, turn_return, spending, exchanges)
WARPMIND_JSON(Episode, id, task, task_name, operator_family, split, provider, started, finished,
              steps, best_step, best_against_baseline, outcome, summary, policy, proposer, seed,
              ended, critic, claims, deltas, spending, critique)
WARPMIND_JSON(WriteBackReceipt, sequence, steps, kernels, measurements, lessons)
WARPMIND_JSON(Budget, evaluations, seconds, tokens, micro_usd, gpu_seconds)
WARPMIND_JSON(QueueTerms, user, priority, background, after, not_before, deadline, night, worth,
              worth_why)
WARPMIND_JSON(Spent, evaluations, seconds, gpu_seconds, tokens, micro_usd)
WARPMIND_JSON(Attempt, epoch, holder, started, ended, outcome)
WARPMIND_JSON(Job, id, state, request, submitted, attempts, episode, receipt, error, epoch, held,
              dead, history, spent)

}  // namespace warpmind
