#include "daemon/doctor.h"

#include "base/codec/json_guard.h"
#include "base/container.h"
#include "base/sequence.h"
#include "config/device_table.h"
#include "daemon/hosts/buses.h"
#include "daemon/hosts/hosts.h"
#include "daemon/process_setup.h"
#include "profilers/environment_probe.h"

#include <array>
#include <string_view>
#include <unistd.h>

namespace warpmind::daemon {
namespace {

/// Without these the daemon still builds, checks and diagnoses; all others are needed for that.
constexpr std::array<std::string_view, 5> kUseful{"GPU", "simulator", "NVML", "counter permission",
                                                  "other hosts"};

bool is_needed(const profilers::Finding& finding) { return !contains(kUseful, finding.name); }

/// The server that joins hosts, where the settings name one.
profilers::Finding look_for_hosts(const config::Settings& settings) {
  using enum profilers::FindingState;
  if (settings.queue.nats.empty()) {
    return {"other hosts", ok, "none: queue.nats names no server", ""};
  }
  const auto options = hosts::nats_options(settings, "warpmind doctor");
  const auto found =
      options ? hosts::describe_nats(*options) : Result<std::string>(fail(options.error()));
  if (found) return {"other hosts", ok, *found, ""};
  return {"other hosts", warning, found.error().message,
          "Evaluations are judged on this machine, and insights wait. Start a server with "
          "`nats-server -js -a ADDRESS`, or correct queue.nats (docs/hosts.md)."};
}

/// Whether the daemon would start for this user.
profilers::Finding look_at_user(const config::Settings& settings) {
  using enum profilers::FindingState;
  if (::geteuid() != 0) return {"user", ok, "not root", ""};
  const std::string sign = container_sign();
  const auto allowed = check_user(true, settings.daemon.allow_root, sign);
  if (!allowed) {
    const std::string& message = allowed.error().message;
    const std::size_t colon = message.rfind(": ");
    return {"user", missing, "the daemon " + message.substr(0, colon), message.substr(colon + 2)};
  }
  return {"user", ok,
          "root, " +
              (sign.empty() ? std::string("allowed by daemon.allow_root")
                            : "in a container (" + sign + ")") +
              "; candidates run as uid 65534",
          ""};
}

}  // namespace

Result<std::string> examine_machine(const config::Settings& settings, bool json) {
  const auto& devices = config::device_table();
  auto findings = profilers::probe_environment(settings, devices);
  findings.insert(findings.begin(), look_at_user(settings));
  findings.push_back(look_for_hosts(settings));
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
