#include "tests/integration/builtin/plan_runner.h"

#include "base/plan_evaluation.h"
#include "profilers/judge/elements.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

namespace warpmind::rewrites {
namespace {

using simulator::CheckEntry;
using simulator::DeviceMemory;

constexpr double kSmallest = -4;
constexpr double kLargest = 4;
constexpr int kPoison = 0xFF;

/// SplitMix64 from a name.
class Draws {
 public:
  explicit Draws(std::string_view name) {
    for (const char letter : name) state_ = state_ * 131 + static_cast<unsigned char>(letter);
  }
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = (state_ ^ (state_ >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

 private:
  std::uint64_t state_ = 7;
};

struct Placed {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

class PlanMemory {
 public:
  explicit PlanMemory(std::uint64_t capacity) : memory_(capacity) {}

  Result<void> place(const std::string& name, std::size_t bytes) {
    const std::uint64_t address = memory_.allocate(bytes);
    if (address == 0) {
      return fail(Errc::invalid_argument, "no room for '" + name + "', which has " +
                                              std::to_string(bytes) + " bytes; use smaller sizes");
    }
    buffers_[name] = {address, bytes};
    std::memset(memory_.host(address), kPoison, bytes);
    return {};
  }
  void fill(const std::string& name, std::string_view content) {
    const Placed& placed = buffers_.at(name);
    const auto bytes = std::min<std::size_t>(content.size(), placed.bytes);
    std::memcpy(memory_.host(placed.address), content.data(), bytes);
    memory_.mark_written(placed.address, bytes);
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    const Placed& placed = buffers_.at(name);
    return {reinterpret_cast<const char*>(memory_.host(placed.address)), placed.bytes};
  }
  [[nodiscard]] const Placed* find(const std::string& name) const {
    const auto at = buffers_.find(name);
    return at == buffers_.end() ? nullptr : &at->second;
  }
  DeviceMemory& device() { return memory_; }

 private:
  DeviceMemory memory_;
  std::map<std::string, Placed> buffers_;
};

Result<std::unique_ptr<simulator::CompiledModule>> load(const std::string& ptx,
                                                        DeviceMemory& memory) {
  WARPMIND_TRY(auto syntax, simulator::ptx::parse_ptx(ptx));
  const auto place = [&](const simulator::ptx::Variable& variable) {
    return memory.allocate(std::max<std::uint64_t>(variable.bytes, 1));
  };
  WARPMIND_TRY(auto module, simulator::compile_module(std::move(syntax), place));
  for (const auto& [name, variable] : module->variables) {
    WARPMIND_TRY(const auto bytes, simulator::initial_bytes(*module, variable));
    std::memcpy(memory.host(variable.address), bytes.data(), bytes.size());
    memory.mark_written(variable.address, bytes.size());
  }
  return module;
}

Result<void> place_buffers(PlanMemory& memory, const Task& task, const LaunchPlan& plan,
                           const Workload& workload, const BufferContents& contents) {
  for (const auto& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    WARPMIND_TRY(const auto elements, evaluate_product(argument.shape, workload.sizes));
    const auto count = static_cast<std::size_t>(elements);
    WARPMIND_CHECK(memory.place(argument.name, count * size_in_bytes(argument.dtype)));
    const auto given = contents.find(argument.name);
    if (given != contents.end()) {
      memory.fill(argument.name, given->second);
    } else if (argument.kind != ArgumentKind::out) {
      memory.fill(argument.name, input_bytes(argument, count));
    }
  }
  for (const auto& scratch : plan.scratch) {
    WARPMIND_TRY(const auto elements, evaluate_scratch_elements(scratch, plan, workload.sizes));
    const auto bytes = static_cast<std::size_t>(elements) * size_in_bytes(scratch.dtype);
    WARPMIND_CHECK(memory.place(scratch.name, bytes));
    if (scratch.zeroed) memory.fill(scratch.name, std::string(bytes, '\0'));
  }
  return {};
}

Result<std::string> argument_value(const std::string& argument, const Task& task,
                                   const LaunchPlan& plan, const Workload& workload,
                                   const PlanMemory& memory) {
  if (is_scalar_argument(argument)) return evaluate_scalar_bytes(argument, plan, workload.sizes);
  if (const Placed* const buffer = memory.find(argument)) {
    std::string bytes(sizeof buffer->address, '\0');
    std::memcpy(bytes.data(), &buffer->address, bytes.size());
    return bytes;
  }
  for (const auto& known : task.arguments) {
    if (known.name == argument) return evaluate_scalar_bytes(known, workload.sizes);
  }
  return fail(Errc::invalid_argument, "nothing is called '" + argument + "'");
}

Result<std::vector<std::byte>> parameters_of(const simulator::Program& program,
                                             const Launch& launch, const Task& task,
                                             const LaunchPlan& plan, const Workload& workload,
                                             const PlanMemory& memory) {
  if (launch.arguments.size() != program.parameters.size()) {
    return fail(Errc::invalid_argument, "kernel '" + launch.kernel + "' takes " +
                                            std::to_string(program.parameters.size()) +
                                            " arguments, the plan gives " +
                                            std::to_string(launch.arguments.size()));
  }
  std::vector<std::byte> bytes(program.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto& parameter = program.parameters[i];
    WARPMIND_TRY(const auto value,
                 argument_value(launch.arguments[i], task, plan, workload, memory));
    if (value.size() != parameter.bytes) {
      return fail(Errc::invalid_argument,
                  "argument " + std::to_string(i) + " of '" + launch.kernel + "' has " +
                      std::to_string(value.size()) + " bytes, the kernel takes " +
                      std::to_string(parameter.bytes));
    }
    std::memcpy(bytes.data() + parameter.offset, value.data(), value.size());
  }
  return bytes;
}

Result<void> check_launch(const simulator::Program* program, const Launch& launch) {
  if (program == nullptr) {
    return fail(Errc::invalid_argument, "the source has no kernel '" + launch.kernel + "'");
  }
  if (!program->unsupported.empty()) return fail(Errc::invalid_argument, program->unsupported);
  return {};
}

}  // namespace

std::string PlanRun::describe_findings() const {
  std::string text = end_reason.empty() ? "" : "did not end: " + end_reason + "\n";
  for (const CheckEntry& entry : findings) {
    text += std::string(name_of(entry.kind)) + " in " + entry.kernel + ", line " +
            std::to_string(entry.source_line) + ": " + entry.detail + ", " +
            std::to_string(entry.count) + " times; " + entry.instruction + "\n";
  }
  return text;
}

std::string input_bytes(const Argument& argument, std::size_t elements) {
  const auto& allowed = argument.distributions;
  const bool ranged =
      std::find(allowed.begin(), allowed.end(), Distribution::index_range) != allowed.end();
  const bool has_sign = argument.dtype != Dtype::u8 && argument.dtype != Dtype::u32;
  const double low = ranged ? std::ceil(argument.low) : has_sign ? kSmallest : 0;
  const double high = ranged ? std::floor(argument.high) : kLargest;
  const auto choices = static_cast<std::uint64_t>(std::max(high - low, 0.0)) + 1;
  Draws draws(argument.name);
  std::vector<double> values(elements);
  for (double& value : values) value = low + static_cast<double>(draws.next() % choices);
  return profilers::encode_elements(values, argument.dtype);
}

Result<PlanRun> run_plan(const std::string& ptx, const Task& task, const LaunchPlan& plan,
                         const Workload& workload, const BufferContents& contents,
                         const PlanRunLimits& limits) {
  PlanMemory memory(limits.memory_bytes);
  WARPMIND_TRY(const auto module, load(ptx, memory.device()));
  WARPMIND_CHECK(place_buffers(memory, task, plan, workload, contents));
  simulator::LaunchOptions options;
  options.count_accesses = false;
  options.step_limit = limits.steps;
  PlanRun run;
  for (const auto& launch : plan.launches) {
    const simulator::Program* const program = module->find(launch.kernel);
    WARPMIND_CHECK(check_launch(program, launch));
    WARPMIND_TRY(const auto shape, evaluate_launch(launch, plan, workload.sizes));
    WARPMIND_TRY(const auto parameters,
                 parameters_of(*program, launch, task, plan, workload, memory));
    const simulator::LaunchRequest request{{{shape}}, *module, *program, parameters};
    WARPMIND_TRY(auto record, simulator::run_launch(request, options, memory.device()));
    run.thread_instructions += record.thread_instructions;
    for (auto& entry : record.checks) {
      if (simulator::is_defect(entry.kind)) run.findings.push_back(std::move(entry));
    }
    if (record.end != simulator::LaunchEnd::completed) {
      run.out_of_steps = record.end == simulator::LaunchEnd::step_limit;
      run.end_reason = launch.kernel + ": " + record.end_reason;
      if (run.end_reason.ends_with(": ")) run.end_reason += "stopped";
      break;
    }
  }
  for (const auto& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    run.buffers[argument.name] = memory.content(argument.name);
  }
  return run;
}

}  // namespace warpmind::rewrites
