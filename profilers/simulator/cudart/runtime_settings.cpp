#include "profilers/simulator/cudart/runtime_settings.h"

#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>

namespace warpmind::simulator {
namespace {

tl::unexpected<Error> refuse(std::string_view name, std::string_view value,
                             std::string_view allowed) {
  return fail(Errc::invalid_argument, std::string(name) + "=" + std::string(value) +
                                          " is not understood; allowed: " + std::string(allowed));
}

Result<bool> read_switch(const Environment& environment, const char* name) {
  const auto value = environment(name);
  if (!value || *value == "off") return false;
  if (*value == "on") return true;
  return refuse(name, *value, "off, on");
}

Result<void> read_checks(const Environment& environment, LaunchOptions& launch) {
  static constexpr const char* kName = "CUDASIM_CHECKS";
  const auto value = environment(kName);
  if (!value || *value == "all") return {};
  launch.check_initialised = launch.check_shared_races = launch.check_global_races = false;
  if (*value == "none") return {};
  std::string_view rest = *value;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    if (word == "initialised") {
      launch.check_initialised = true;
    } else if (word == "shared-races") {
      launch.check_shared_races = true;
    } else if (word == "global-races") {
      launch.check_global_races = true;
    } else {
      return refuse(kName, *value,
                    "all, none, or a comma list of initialised, shared-races, global-races");
    }
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

Result<void> read_order(const Environment& environment, LaunchOptions& launch) {
  const auto value = environment("CUDASIM_ORDER");
  if (!value || *value == "forward") return {};
  launch.reversed = *value == "reversed";
  launch.drawn = *value == "drawn";
  if (!launch.reversed && !launch.drawn) {
    return refuse("CUDASIM_ORDER", *value, "forward, reversed, drawn");
  }
  if (launch.drawn) launch.sample_seed = std::random_device{}() | 1U;
  return {};
}

/// `accepts`: of a value that is a number.
template <class Number, class Accepts>
Result<void> read_number(const Environment& environment, const char* name, Number& number,
                         Accepts accepts, const char* wanted) {
  const auto value = environment(name);
  if (!value) return {};
  const char* const end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc() || stop != end || !accepts(number)) return refuse(name, *value, wanted);
  return {};
}

Result<void> read_numbers(const Environment& environment, RuntimeSettings& settings) {
  WARPMIND_CHECK(read_number(
      environment, "CUDASIM_STEPS", settings.launch.step_limit,
      [](std::uint64_t steps) { return steps != 0; }, "a number of steps from 1 on"));
  WARPMIND_CHECK(read_number(
      environment, "CUDASIM_TIME_SCALE", settings.time_scale,
      [](double scale) { return scale >= 1e-3 && scale <= 1e3; }, "a number from 0.001 to 1000"));
  return read_number(
      environment, "CUDASIM_SECONDS", settings.launch.seconds,
      [](double seconds) { return seconds > 0 && seconds <= 1e6; },
      "seconds, more than 0 and at most 1e6");
}

Result<void> check_report(const std::string& report) {
  if (report.rfind("fd:", 0) != 0) return {};
  int descriptor = -1;
  const char* const end = report.data() + report.size();
  const auto [stop, error] = std::from_chars(report.data() + 3, end, descriptor);
  if (error != std::errc() || stop != end || descriptor < 0) {
    return refuse("CUDASIM_REPORT", report, "a file name, or fd:N with an open descriptor");
  }
  return {};
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Result<RuntimeSettings> read_runtime_settings(const Environment& environment) {
  RuntimeSettings settings;
  settings.device = environment("CUDASIM_DEVICE").value_or(settings.device);
  settings.report = environment("CUDASIM_REPORT").value_or("");
  settings.trace = environment("CUDASIM_TRACE").value_or("");
  settings.kernels = environment("CUDASIM_KERNELS").value_or("");
  WARPMIND_TRY(settings.contents, read_switch(environment, "CUDASIM_CONTENTS"));
  WARPMIND_TRY(settings.null_kernels, read_switch(environment, "CUDASIM_NULL_KERNELS"));
  WARPMIND_CHECK(check_report(settings.report));
  WARPMIND_CHECK(read_checks(environment, settings.launch));
  WARPMIND_CHECK(read_order(environment, settings.launch));
  WARPMIND_CHECK(read_numbers(environment, settings));
  WARPMIND_TRY(settings.profile, read_switch(environment, "CUDASIM_PROFILE"));
  WARPMIND_TRY(settings.sample, read_switch(environment, "CUDASIM_SAMPLE"));
  WARPMIND_TRY(settings.print, read_switch(environment, "CUDASIM_PRINT"));
  if (settings.profile) {
    LaunchOptions& launch = settings.launch;
    launch.check_initialised = launch.check_shared_races = launch.check_global_races = false;
    if (settings.sample) launch.block_limit = kSampledBlocks;
  }
  return settings;
}

}  // namespace warpmind::simulator
