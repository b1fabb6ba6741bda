#include "base/input_ranges.h"

#include "base/model/dtype.h"
#include "base/text.h"

#include <algorithm>
#include <vector>

namespace warpmind {
namespace {

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string describe_distribution(const Argument& argument, Distribution distribution) {
  const bool is_half = size_in_bytes(argument.dtype) == 2;
  const std::string name(name_of(distribution));
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
    case Distribution::index_range: break;
  }
  return name;
}

}  // namespace

std::string describe_draws(const Task& task) {
  std::vector<std::string> inputs;
  for (const Argument& argument : task.arguments) {
    if (!is_input(argument)) continue;
    std::vector<std::string> draws;
    for (const auto& [distribution, name] : EnumNames<Distribution>::table) {
      const auto& own = argument.distributions;
      const bool drawn = own.empty() ? distribution != Distribution::index_range
                                     : std::find(own.begin(), own.end(), distribution) != own.end();
      if (drawn) draws.push_back(describe_distribution(argument, distribution));
    }
    const bool may_be_nan = argument.distributions.empty() && is_floating(argument.dtype) &&
                            !task.reference.empty() &&
                            task.contract.tolerance != ToleranceClass::reduction;
    if (may_be_nan) draws.emplace_back("a few NaN");
    inputs.push_back(argument.name + " (" + std::string(name_of(argument.dtype)) +
                     "): " + join(draws, ", "));
  }
  return join(inputs, "; ");
}

}  // namespace warpmind
