#include "daemon/doctor.h"

#include "base/codec/json_guard.h"
#include "config/device_table.h"
#include "profilers/environment_probe.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpmind::daemon {
namespace {

/// Without these the daemon still builds, checks and diagnoses; all others are needed for that.
constexpr std::array<std::string_view, 4> kUseful{"GPU", "simulator", "NVML", "counter permission"};

bool is_needed(const profilers::Finding& finding) {
  return std::find(kUseful.begin(), kUseful.end(), finding.name) == kUseful.end();
}

}  // namespace

Result<std::string> examine_machine(const config::Settings& settings, bool json) {
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  const auto findings = profilers::probe_environment(settings, devices);
  if (json) {
    auto list = nlohmann::json::array();
    for (const auto& finding : findings) {
      list.push_back({{"name", finding.name},
                      {"state", name_of(finding.state)},
                      {"needed", is_needed(finding)},
                      {"detail", finding.detail},
                      {"remedy", finding.remedy}});
    }
    return codec::dump_json({{"findings", list}}) + "\n";
  }
  std::string text;
  for (const auto& finding : findings) {
    text +=
        std::string(name_of(finding.state)) + "  " + finding.name + ": " + finding.detail + "\n";
    if (!finding.remedy.empty()) text += "    " + finding.remedy + "\n";
  }
  return text;
}

}  // namespace warpmind::daemon
