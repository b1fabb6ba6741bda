#include "profilers/simulator/profile/launch_record_codec.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

#include <string>

namespace warpmind {

using simulator::FlopKind;
using simulator::LaunchEnd;
using simulator::Pipe;
using simulator::Space;

WARPMIND_ENUM_NAMES(Pipe, {Pipe::fma, "fma"}, {Pipe::alu, "alu"},
                    {Pipe::integer_multiply, "integer_multiply"}, {Pipe::half, "half"},
                    {Pipe::special, "special"}, {Pipe::fp64, "fp64"}, {Pipe::memory, "memory"},
                    {Pipe::tensor, "tensor"}, {Pipe::control, "control"}, {Pipe::free, "free"});
WARPMIND_ENUM_NAMES(Space, {Space::generic, "generic"}, {Space::global, "global"},
                    {Space::shared, "shared"}, {Space::local, "local"}, {Space::param, "param"},
                    {Space::constant, "constant"});
WARPMIND_ENUM_NAMES(FlopKind, {FlopKind::none, "none"}, {FlopKind::f16, "f16"},
                    {FlopKind::f32, "f32"}, {FlopKind::f64, "f64"}, {FlopKind::tensor, "tensor"});
WARPMIND_ENUM_NAMES(LaunchEnd, {LaunchEnd::completed, "completed"}, {LaunchEnd::fault, "fault"},
                    {LaunchEnd::step_limit, "step_limit"},
                    {LaunchEnd::stack_overflow, "stack_overflow"},
                    {LaunchEnd::deadlock, "deadlock"}, {LaunchEnd::unsupported, "unsupported"},
                    {LaunchEnd::time_limit, "time_limit"});

}  // namespace warpmind

// Static functions: nobody else converts these types.
#define WARPMIND_RECORD_JSON(Type, ...)                                                     \
  static void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {       \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  static void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) {     \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }

namespace warpmind::simulator {

WARPMIND_RECORD_JSON(AccessCounters, requests, lanes, bytes, sectors, lines, wavefronts,
                     ideal_wavefronts, l1_hits, l2_hits, dram_sectors, atomic_conflicts)
WARPMIND_RECORD_JSON(InstructionRecord, opcode, source_line, ptx_line, pipe, space, is_memory,
                     is_store, flop_kind, flops, cost, executions, lanes, access)
WARPMIND_RECORD_JSON(CheckEntry, kind, kernel, source_line, instruction, block, thread, address,
                     detail, count)
WARPMIND_RECORD_JSON(LaunchRecord, kernel, grid, block, static_shared, dynamic_shared, blocks,
                     blocks_run, busiest_block, wave, warp_instructions, thread_instructions,
                     branches, divergent_branches, barriers, seconds, end, end_reason, instructions,
                     checks, late_reads)
WARPMIND_RECORD_JSON(LaunchReport, launch, wave, predicted_ns, finished)

std::string encode(const LaunchReport& report) { return codec::dump_json(report); }

Result<LaunchReport> decode_launch_report(std::string_view line) {
  if (line.size() > kMostReportBytes) {
    return fail(Errc::corrupt_data, "a launch report of " + std::to_string(line.size()) +
                                        " bytes; at most " + std::to_string(kMostReportBytes) +
                                        " are read");
  }
  auto value = codec::parse_json(line, {.depth = 8, .nodes = 4'000'000});
  if (!value) return fail(std::move(value).error().while_doing("reading a launch report"));
  if (!value->is_object()) {
    return fail(Errc::corrupt_data, "not a valid launch report: not a JSON object");
  }
  return codec::from_json<LaunchReport>(*value, "launch report");
}

}  // namespace warpmind::simulator
