#include "tests/bench/validation/constants_fit.h"

#include "base/model/device_fields.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace warpmind::validation {
namespace {

using simulator::ModelConstants;

using Constant = std::pair<std::string_view, double ModelConstants::*>;
constexpr std::array<Constant, 8> kConstants = {{
    {"exponent", &ModelConstants::exponent},
    {"clock", &ModelConstants::clock},
    {"dram_efficiency", &ModelConstants::dram_efficiency},
    {"l2_bytes", &ModelConstants::l2_bytes},
    {"lsu_cycles", &ModelConstants::lsu_cycles},
    {"branch_cycles", &ModelConstants::branch_cycles},
    {"atomic_cycles", &ModelConstants::atomic_cycles},
    {"launch", &ModelConstants::launch},
}};

/// A number of the time model that has the name of a constant is called "timing.NAME".
double* timing_number(std::string_view name, TimingModel& timing) {
  for (const auto& field : kTimingFields) {
    const bool is_taken = std::any_of(kConstants.begin(), kConstants.end(),
                                      [&](const auto& one) { return one.first == field.name; });
    if (name != (is_taken ? "timing." : "") + std::string(field.name)) continue;
    return &(timing.*std::get<double TimingModel::*>(field.member));
  }
  return nullptr;
}

/// Mean over tasks of the mean |log factor|.
Result<double> cost_of(std::vector<ComparedPoint>& points, const DeviceSpec& device,
                       const ModelConstants& constants) {
  WARPMIND_CHECK(predict_all(points, device, constants));
  const Tasks tasks = tasks_of(points);
  double sum = 0;
  for (const auto& [name, times] : tasks) sum += std::log(mean_factor(times));
  return sum / static_cast<double>(tasks.size());
}

}  // namespace

Result<void> set_number(const std::string& text, ModelConstants& constants, DeviceSpec& device) {
  const std::size_t equals = text.find('=');
  double* place = nullptr;
  for (const auto& [name, member] : kConstants) {
    if (text.substr(0, equals) == name) place = &(constants.*member);
  }
  if (double* const number = timing_number(text.substr(0, equals), device.timing)) place = number;
  if (place == nullptr || equals == std::string::npos) {
    return fail(Errc::invalid_argument, "no number of the model: " + text);
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + equals + 1, &end);
  if (*end != '\0' || !(value > 0)) {
    return fail(Errc::invalid_argument, "not a positive number: " + text);
  }
  *place = value;
  return {};
}

Result<ModelConstants> fit(std::vector<ComparedPoint> points, const DeviceSpec& device,
                           const ModelConstants& start) {
  ModelConstants best = start;
  WARPMIND_TRY(double least, cost_of(points, device, best));
  for (double step : {1.3, 1.15, 1.07, 1.03}) {
    for (int round = 0; round < 3; ++round) {
      const double before = least;
      for (const auto& [name, member] : kConstants) {
        for (const double factor : {step, 1 / step}) {
          ModelConstants tried = best;
          tried.*member *= factor;
          WARPMIND_TRY(const double cost, cost_of(points, device, tried));
          if (cost >= least) continue;
          least = cost;
          best = tried;
        }
      }
      if (least >= before) break;
    }
  }
  return best;
}

std::string describe(const ModelConstants& constants) {
  std::string out;
  for (const auto& [name, member] : kConstants) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%s%s=%.4g", out.empty() ? "" : " ",
                  std::string(name).c_str(), constants.*member);
    out += text.data();
  }
  return out;
}

}  // namespace warpmind::validation
