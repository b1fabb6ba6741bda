#include "base/input_ranges.h"

#include "base/model/dtype.h"
#include "base/sequence.h"
#include "base/text.h"

#include <vector>

namespace warpmind {
namespace {

bool has_values(const Argument& argument) {
  return argument.recorded && !argument.recorded->values.empty();
}

std::string describe_recorded(const Argument& argument) {
  if (!argument.recorded) return "recorded";
  const RecordedInput& recorded = *argument.recorded;
  std::string text = has_values(argument) ? "those of the recorded run" : "like the recorded run's";
  text += ", " + significant(recorded.low, 6) + " to " + significant(recorded.high, 6);
  if (recorded.sorted) text += ", never decreasing";
  if (is_floating(argument.dtype)) {
    text += ", mean " + significant(recorded.mean, 6) + ", deviation " +
            significant(recorded.deviation, 6);
  }
  if (recorded.zeros > 0) text += ", " + fixed(100 * recorded.zeros, 1) + " % zeros";
  if (has_values(argument) && recorded.reorder) text += ", in other cases in another order";
  return text;
}

std::string describe_distribution(const Argument& argument, Distribution distribution) {
  const bool is_half = size_in_bytes(argument.dtype) == 2;
  std::string name(name_of(distribution));
  if (distribution == Distribution::recorded) return describe_recorded(argument);
  if (distribution == Distribution::index_range) {
    return "integers " + fixed(argument.low, 0) + " to " + fixed(argument.high, 0);
  }
  if (!is_floating(argument.dtype)) return name;
  switch (distribution) {
    case Distribution::normal:
      return name + " N(0,1) x 1/2 to 2, in some cases by rows around +-1 to 2";
    case Distribution::uniform: return name + " -1 to 1";
    case Distribution::constant: return name + " +1 and -1 in turn";
    case Distribution::one_hot: return name + " one 1 a row, else 0";
    case Distribution::large: return name + " N(0,1) x " + (is_half ? "64" : "1024");
    case Distribution::denormal: return name + " up to 8 of the smallest denormals";
    case Distribution::exact: return name + " integers -4 to 4";
    case Distribution::wide: return name + (is_half ? " +-2^-6 to 2^6" : " +-2^-26 to 2^26");
    case Distribution::recorded:
    case Distribution::index_range: break;
  }
  return name;
}

std::string with_names(const std::vector<std::string>& names, const std::string& what) {
  return names.empty() ? std::string() : join_text(names, ", ") + " " + what;
}

}  // namespace

std::string describe_inputs(const Task& task) {
  std::vector<std::string> as_recorded;
  std::vector<std::string> alike;
  std::vector<std::string> integers;
  std::vector<std::string> floats;
  for (const Argument& argument : task.arguments) {
    if (!is_input(argument)) continue;
    if (has_values(argument)) {
      as_recorded.push_back(argument.name);
    } else if (argument.recorded) {
      alike.push_back(argument.name);
    } else {
      (is_floating(argument.dtype) ? floats : integers).push_back(argument.name);
    }
  }
  const bool is_recorded =
      task.reference.empty() && task.workloads.size() == 1 && task.workloads[0].name == "recorded";
  if (!is_recorded && as_recorded.empty() && alike.empty()) return {};
  std::vector<std::string> parts;
  for (auto& part :
       {with_names(as_recorded, "as recorded"), with_names(alike, "like the recorded values"),
        with_names(floats, "invented (the program's values are not on record)"),
        with_names(integers, "invented (0 and 1: the program's values are not on record)")}) {
    if (!part.empty()) parts.push_back(part);
  }
  return join_text(parts, "; ");
}

std::string describe_draws(const Task& task) {
  std::vector<std::string> inputs;
  for (const Argument& argument : task.arguments) {
    if (!is_input(argument)) continue;
    std::vector<std::string> draws;
    for (const auto& [distribution, name] : EnumNames<Distribution>::table) {
      const auto& own = argument.distributions;
      const bool is_open = distribution == Distribution::recorded
                               ? argument.recorded.has_value()
                               : distribution != Distribution::index_range;
      const bool drawn = own.empty() ? is_open : contains(own, distribution);
      if (drawn) draws.push_back(describe_distribution(argument, distribution));
    }
    const bool may_be_nan = argument.distributions.empty() && is_floating(argument.dtype) &&
                            !task.reference.empty() &&
                            task.contract.tolerance != ToleranceClass::reduction;
    if (may_be_nan) draws.emplace_back("a few NaN");
    inputs.push_back(argument.name + " (" + std::string(name_of(argument.dtype)) +
                     "): " + join_text(draws, ", "));
  }
  return join_text(inputs, "; ");
}

}  // namespace warpmind
