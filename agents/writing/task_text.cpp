#include "agents/writing/task_text.h"

#include "agents/writing/quoted_text.h"
#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/input_ranges.h"
#include "base/limit.h"
#include "base/text.h"

#include <vector>

namespace warpmind::agents::writing {
namespace {

constexpr std::size_t kDescriptionBytes = 1000;
constexpr std::size_t kCardBytes = 360;  // of one paragraph of a card

std::string describe_sizes(const Sizes& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(name + "=" + std::to_string(value));
  return join_text(parts, ", ");
}

std::string describe_argument(const Argument& argument) {
  std::string line = argument.name + ": " + std::string(name_of(argument.kind)) + " " +
                     std::string(name_of(argument.dtype));
  if (argument.kind == ArgumentKind::scalar) return line + " = " + argument.value;
  return line + " [" + join_text(argument.shape, ", ") + "]";
}

}  // namespace

std::string describe_interface(const Task& task) {
  std::string text = "operator family: " + task.operator_family + "\n";
  if (!task.description.empty()) text += quoted_line(task.description, kDescriptionBytes) + "\n";
  for (const auto& argument : task.arguments)
    text += "argument " + describe_argument(argument) + "\n";
  for (const auto& workload : task.workloads) {
    text += "workload " + workload.name + (workload.timed ? " (timed): " : ": ") +
            describe_sizes(workload.sizes) + "\n";
  }
  const Contract& contract = task.contract;
  text += "tolerance: " + std::string(name_of(contract.tolerance));
  if (contract.tolerance == ToleranceClass::elementwise)
    text += ", " + fixed(contract.ulp, 0) + " ulp";
  text += "; sums at least in " + std::string(name_of(contract.accumulate)) + "; tf32 " +
          (contract.tf32_allowed ? "allowed" : "not allowed") + "; a second run " +
          (contract.deterministic ? "must be bit-equal" : "may differ in rounding") + "\n";
  if (const std::string draws = describe_draws(task); !draws.empty()) {
    text += "inputs are drawn from: " + draws + "\n";
  }
  text += "least traffic: " + task.cost.bytes + " bytes; arithmetic: " +
          (needs_count(task) ? "as the given kernel's" : task.cost.flops + " flop");
  return text;
}

// In the form of an answer, so that it can be copied and edited; one launch a line.
std::string describe_plan(const Kernel& kernel) {
  std::string text = "launches:\n";
  for (const auto& launch : kernel.plan.launches) {
    text += codec::dump_json(launch) + "\n";
  }
  nlohmann::json constants = nlohmann::json::array();
  for (const auto& [name, value] : kernel.plan.constants) {
    constants.push_back({{"name", name}, {"value", value}});
  }
  text += "constants: " + codec::dump_json(constants) + "\n";
  text += "scratch: " + codec::dump_json(kernel.plan.scratch);
  if (kernel.tier == Tier::b) text += "\nhost entry: " + kernel.entry;
  if (!kernel.build_flags.empty()) text += "\nbuild flags: " + join_text(kernel.build_flags, " ");
  return text;
}

std::string describe_card(const Technique& card, const std::string& architecture) {
  std::string text = card.name + ": " + quoted_line(card.title, kCardBytes) + "\n";
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty())
      text += std::string("  ") + what + ": " + quoted_line(value, kCardBytes) + "\n";
  };
  add("when", card.when);
  add("not when", card.when_not);
  add("how", card.how);
  add("parameters", join_text(card.parameters, "; "));
  add("risks", card.risks);
  const auto note = card.generations.find(architecture);
  if (note != card.generations.end()) add(architecture.c_str(), note->second);
  if (card.typical_high > 1) {
    text += "  gain: " + fixed(card.typical_low, 2) + " to " + fixed(card.typical_high, 2) + "\n";
  }
  return text;
}

}  // namespace warpmind::agents::writing
