#include "profilers/judge/controls.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"

#include <cmath>

namespace warpmind::profilers {
namespace {

struct Spread {
  double mean = 0;
  double deviation = 0;
};

/// Of an output over all cases but one: what a kernel could know without its inputs.
Spread spread_without(const std::string& output, std::span<const AdmissionCase> cases,
                      std::size_t left_out) {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i == left_out) continue;
    for (const double value : cases[i].reference.outputs.at(output)) {
      if (!std::isfinite(value)) continue;
      count += 1;
      sum += value;
      squares += value * value;
    }
  }
  if (count == 0) return {};
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0))};
}

std::vector<ControlOutput> copies_of_inputs(const Task& task, const Argument& output,
                                            const AdmissionCase& one, std::size_t count) {
  std::vector<ControlOutput> copies;
  for (const Argument& argument : task.arguments) {
    const auto raw = one.raw_inputs.find(argument.name);
    if (raw == one.raw_inputs.end()) continue;
    const std::vector<double> input = decode_elements(raw->second, argument.dtype);
    if (input.empty()) continue;
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = input[i % input.size()];
    copies.push_back({encode_elements(values, output.dtype), argument.name});
  }
  return copies;
}

std::vector<double> random_values(const Spread& spread, std::size_t count, std::size_t seed) {
  static const NormalQuantiles quantiles;
  SplitMix random(0x0C0117201U + seed);
  std::vector<double> values(count);
  for (double& value : values) value = spread.mean + spread.deviation * quantiles.draw(random);
  return values;
}

/// One of the runner's words (profilers/worker/fill_patterns.h).
std::string poison(std::size_t bytes) {
  std::string filled(bytes, '\xF3');
  for (std::size_t i = 1; i < bytes; i += 2) filled[i] = '\x7F';
  return filled;
}

}  // namespace

std::vector<ControlOutput> make_control(Control control, const Task& task, const Argument& argument,
                                        std::span<const AdmissionCase> cases, std::size_t seed) {
  const AdmissionCase& own = cases[seed];
  const std::size_t count = own.reference.outputs.at(argument.name).size();
  const auto encoded = [&argument](const std::vector<double>& values) {
    return std::vector<ControlOutput>{{encode_elements(values, argument.dtype), {}}};
  };
  switch (control) {
    case Control::zeros: return encoded(std::vector<double>(count, 0));
    case Control::mean: {
      const Spread spread = spread_without(argument.name, cases, seed);
      return encoded(std::vector<double>(count, spread.mean));
    }
    case Control::input_copy: return copies_of_inputs(task, argument, own, count);
    case Control::previous_output: {
      const AdmissionCase& before = cases[(seed + cases.size() - 1) % cases.size()];
      return encoded(before.reference.outputs.at(argument.name));
    }
    case Control::random:
      return encoded(random_values(spread_without(argument.name, cases, seed), count, seed));
    case Control::untouched: break;
  }
  const auto before = own.raw_inputs.find(argument.name);
  if (before != own.raw_inputs.end()) return {{before->second, {}}};
  return {{poison(count * size_in_bytes(argument.dtype)), {}}};
}

std::string describe(Control control, const std::string& output, const std::string& from) {
  switch (control) {
    case Control::zeros: return "a kernel that only fills '" + output + "' with zeros";
    case Control::mean: return "a kernel that fills '" + output + "' with one number, its mean,";
    case Control::input_copy:
      return "a kernel that only copies input '" + from + "' to '" + output + "'";
    case Control::previous_output:
      return "a kernel that leaves the '" + output + "' of the inputs before";
    case Control::random: return "a kernel that fills '" + output + "' with random numbers";
    case Control::untouched: break;
  }
  return "a kernel that does not touch '" + output + "'";
}

}  // namespace warpmind::profilers
