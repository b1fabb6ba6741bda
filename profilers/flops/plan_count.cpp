#include "profilers/flops/plan_count.h"

#include "profilers/flops/static_count.h"
#include "profilers/lab/run_case.h"
#include "profilers/simulator/sass/fatbin.h"

#include <algorithm>
#include <cstring>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using simulator::ptx::Module;

constexpr unsigned kBufferShift = 40;  // no two buffers meet

std::uint8_t digit(char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

std::vector<std::uint8_t> argument_value(const CallArgument& argument, std::size_t index) {
  std::vector<std::uint8_t> bytes;
  if (!argument.buffer.empty()) {
    const std::uint64_t address = std::uint64_t{index + 1} << kBufferShift;
    bytes.resize(sizeof(address));
    std::memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  const std::string& hex = argument.scalar_hex;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) << 4U | digit(hex[i + 1])));
  }
  return bytes;
}

const Function* find_function(const Module& module, const std::string& name) {
  for (const Function& one : module.functions) {
    if (one.name == name && one.is_entry && !one.is_declaration) return &one;
  }
  return nullptr;
}

}  // namespace

Result<WalkLaunch> walk_launch_of(const LaunchCall& call, const Function& function) {
  if (call.arguments.size() != function.parameters.size()) {
    return fail(Errc::invalid_argument,
                "'" + function.name + "' has " + std::to_string(function.parameters.size()) +
                    " parameters, the launch gives " + std::to_string(call.arguments.size()));
  }
  WalkLaunch launch;
  launch.shape() = call.shape();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& parameter = function.parameters[i];
    const auto bytes = argument_value(call.arguments[i], i);
    if (bytes.size() != parameter.bytes) {
      return fail(Errc::invalid_argument,
                  "parameter " + std::to_string(i + 1) + " of '" + function.name + "' has " +
                      std::to_string(parameter.bytes) + " bytes, the launch gives " +
                      std::to_string(bytes.size()));
    }
    const std::size_t end = parameter.offset + bytes.size();
    if (launch.parameters.size() < end) launch.parameters.resize(end);
    std::copy(bytes.begin(), bytes.end(),
              launch.parameters.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
  }
  return launch;
}

LaunchCount count_launch(const Function& function, const WalkLaunch& launch, WalkGoal goal) {
  LaunchCount count;
  count.kernel = function.name;
  count.shape() = launch.shape();
  const auto walked = walk_threads(function, launch, kWalkSteps, goal);
  if (!walked) {
    count.undecided = walked.error().message;
    return count;
  }
  count.undecided = walked->undecided;
  if (!count.undecided.empty()) return count;
  count.sampled = walked->sampled;
  count.only_flops = walked->only_flops;
  if (!count.only_flops) count.moved_bytes = 0;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (walked->executions[i] <= 0) continue;
    const std::string opcode = opcode_of(function.body[i]);
    const OperationShare share = share_of_ptx(opcode);
    if (count.only_flops && share.type == FlopType::none) continue;
    count.counts.add(share, walked->executions[i]);
    const auto bytes = global_bytes_of_ptx(opcode);
    if (count.moved_bytes && bytes) *count.moved_bytes += *bytes * walked->executions[i];
    if (!bytes) count.moved_bytes.reset();
    count.hardware.add(counter_mix_of(opcode), walked->executions[i]);
  }
  return count;
}

Result<std::vector<LaunchCount>> count_plan(const Task& task, const Kernel& kernel,
                                            const Workload& workload, const Module& module) {
  WARPMIND_TRY(const auto program, make_program(task, kernel, workload, ""));
  std::vector<LaunchCount> counts;
  for (const LaunchCall& call : program.launches) {
    LaunchCount& count = counts.emplace_back();
    count.kernel = call.kernel;
    count.shape() = call.shape();
    const Function* function = find_function(module, call.kernel);
    if (function == nullptr) {
      count.undecided = "the code has no kernel '" + call.kernel + "'";
      continue;
    }
    const auto launch = walk_launch_of(call, *function);
    if (launch) {
      count = count_launch(*function, *launch);
    } else {
      count.undecided = launch.error().message;
    }
  }
  return counts;
}

OperationCounts counts_of(const simulator::LaunchRecord& launch) {
  OperationCounts counts;
  const double scale = launch.blocks_run == 0 ? 0
                                              : static_cast<double>(launch.blocks) /
                                                    static_cast<double>(launch.blocks_run);
  for (const auto& one : launch.instructions) {
    counts.add(share_of_ptx(one.opcode), static_cast<double>(one.lanes) * scale);
  }
  return counts;
}

Result<std::string_view> ptx_of_fatbin(std::span<const std::byte> fatbin) {
  WARPMIND_TRY(const auto entries, simulator::fatbin_entries(fatbin));
  for (const auto& entry : entries) {
    if (entry.kind != simulator::FatbinEntry::kPtx || entry.plain_bytes != 0) continue;
    const std::string_view text(reinterpret_cast<const char*>(entry.payload.data()),
                                entry.payload.size());
    return text.substr(0, text.find('\0'));
  }
  return fail(Errc::not_found, "the fat binary has no uncompressed PTX");
}

}  // namespace warpmind::profilers
