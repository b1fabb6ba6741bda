#include "profilers/job/job_codec.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"

#include <string>

// Static functions, unlike base/codec/model_json.cpp: nobody else converts these types.
#define WARPMIND_JOB_JSON(Type, ...)                                                        \
  static void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {       \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  static void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) {     \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }

namespace warpmind::profilers {

WARPMIND_JOB_JSON(PerturbedRun, suffix, part, dtype, seed, binary)
WARPMIND_JOB_JSON(BufferSpec, name, bytes, input_file, output_file, element_bytes, dtype)
WARPMIND_JOB_JSON(ScratchSpec, name, bytes, zeroed, dtype)
WARPMIND_JOB_JSON(CallArgument, buffer, scalar_hex, scalar_dtype)
WARPMIND_JOB_JSON(LaunchCall, kernel, grid, block, shared_bytes, arguments, cooperative)
WARPMIND_JOB_JSON(Program, tier, binary, entry, scratch, launches, only_enqueues)
WARPMIND_JOB_JSON(RunCase, id, buffers, candidate, incumbent, integers)
WARPMIND_JOB_JSON(BlockSample, seed, instructions)
WARPMIND_JOB_JSON(RunnerJob, mode, cases, repeat_bitwise, runs, bare, quads, block_ms, most_ms, hot,
                  order_seed, blocks, report_key, perturbed, metrics, sample_lines)
WARPMIND_JOB_JSON(CaseReport, id, status, message, event_ns)
WARPMIND_JOB_JSON(QuadSample, candidate_ns, incumbent_ns)
WARPMIND_JOB_JSON(RunnerReport, ok, error, no_device, device, cases, quads, launches_per_block,
                  wall_ns, sm_clock_mhz, max_sm_clock_mhz, block_clocks_mhz, power_capped, throttle,
                  incumbent_alone_ns, candidate_clocks_disagree, incumbent_clocks_disagree, kernels,
                  absent, counters_refused, counters_note, report_seal, host_ns, choice, lines,
                  lines_note)
WARPMIND_JOB_JSON(JudgeJob, command, task, reference_library, directory, workloads, seeds, inputs,
                  fixed_seed, cases, baseline_error, expected_directory, partial, given_itself,
                  relation, repetition, perturbed, doubt_all, probes)
WARPMIND_JOB_JSON(PreparedCase, id, workload, distribution, inputs, outputs, probes)
WARPMIND_JOB_JSON(AdmissionReport, admitted, refusal, workloads, seeds, controls, closest,
                  closest_ratio, varying, seconds)
WARPMIND_JOB_JSON(JudgeReply, ok, error, cases, correctness, admission, doubtful, silent,
                  worst_place)

namespace {

template <class T>
Result<T> decode(std::string_view line, std::string_view what) {
  auto value = codec::parse_json(line);
  if (!value) return fail(std::move(value).error().while_doing("reading a " + std::string(what)));
  if (!value->is_object()) {
    return fail(Errc::corrupt_data, "not a valid " + std::string(what) + ": not a JSON object");
  }
  return codec::from_json<T>(*value, what);
}

}  // namespace

std::string encode(const RunnerJob& job) { return codec::dump_json(job); }
std::string encode(const RunnerReport& report) { return codec::dump_json(report); }
std::string encode(const JudgeJob& job) { return codec::dump_json(job); }
std::string encode(const JudgeReply& reply) { return codec::dump_json(reply); }

Result<RunnerJob> decode_runner_job(std::string_view line) {
  return decode<RunnerJob>(line, "runner job");
}
Result<RunnerReport> decode_runner_report(std::string_view line) {
  return decode<RunnerReport>(line, "runner report");
}
Result<JudgeJob> decode_judge_job(std::string_view line) {
  return decode<JudgeJob>(line, "judge job");
}
Result<JudgeReply> decode_judge_reply(std::string_view line) {
  return decode<JudgeReply>(line, "judge reply");
}

}  // namespace warpmind::profilers
