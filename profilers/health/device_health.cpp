#include "profilers/health/device_health.h"

#include "base/log.h"
#include "base/text.h"
#include "profilers/health/pci_address.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {

DeviceHealth::DeviceHealth(HealthSettings settings, HealthHooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)) {}

void DeviceHealth::identify(const std::string& name, const std::string& uuid) {
  const std::scoped_lock lock(state_);
  if (!name.empty()) settings_.device = name;
  const bool is_new = !uuid.empty() && settings_.reset_argument != uuid;
  if (!is_new) return;
  settings_.reset_argument = uuid;
  if (hooks_.pci_of) pci_ = hooks_.pci_of(uuid);
}

std::vector<Xid> DeviceHealth::own_xids() const {
  auto xids = hooks_.new_xids ? hooks_.new_xids() : std::vector<Xid>();
  const std::scoped_lock lock(state_);
  if (pci_.empty()) return xids;
  std::erase_if(xids, [this](const Xid& xid) {
    const bool foreign = !xid.pci.empty() && !is_same_device(xid.pci, pci_);
    if (foreign) {
      log::info("profilers", "the driver complains about another device",
                {{"pci", xid.pci}, {"xid", describe(xid)}});
    }
    return foreign;
  });
  return xids;
}

std::string DeviceHealth::note_end(AbnormalEnd end) {
  const auto xids = own_xids();
  const std::scoped_lock lock(state_);
  suspect_ = true;
  if (end.stuck) stuck_.push_back(std::move(end.stuck));
  std::string said;
  for (const auto& xid : xids) {
    said += (said.empty() ? "; the driver logged " : ", ") + describe(xid);
    if (meaning_of(xid.number).remedy == XidRemedy::reset) for_good_ = describe(xid);
  }
  return said;
}

void DeviceHealth::take_xids() {
  for (const auto& xid : own_xids()) {
    const std::scoped_lock lock(state_);
    log::warn("profilers", "the driver complains",
              {{"device", settings_.device}, {"xid", describe(xid)}});
    if (meaning_of(xid.number).remedy == XidRemedy::reset) for_good_ = describe(xid);
  }
}

bool DeviceHealth::processes_gone() {
  const std::scoped_lock lock(state_);
  stuck_.erase(std::remove_if(stuck_.begin(), stuck_.end(),
                              [](const auto& process) { return process->gone(); }),
               stuck_.end());
  return stuck_.empty();
}

bool DeviceHealth::wait_is_over() const {
  const std::scoped_lock lock(state_);
  return !for_good_ && hooks_.clock->monotonic() >= next_try_;
}

bool DeviceHealth::needs_ladder() const {
  const std::scoped_lock lock(state_);
  return suspect_ || why_;
}

Result<void> DeviceHealth::admit(const std::stop_token& stop) {
  if (!needs_ladder()) return {};
  const std::scoped_lock one_climber(ladder_);
  if (!needs_ladder()) return {};  // somebody else has just climbed
  if (quarantine() && !wait_is_over()) return fail(Errc::unavailable, *quarantine());
  WARPMIND_TRY(const auto why, climb(stop));
  if (why) {
    enter_quarantine(*why);
    return fail(Errc::unavailable, *quarantine());
  }
  const std::scoped_lock lock(state_);
  if (why_) log::info("profilers", "device is healthy again", {{"device", settings_.device}});
  suspect_ = false;
  why_.reset();
  return {};
}

Result<std::optional<std::string>> DeviceHealth::climb(const std::stop_token& stop) {
  using Why = std::optional<std::string>;
  take_xids();
  {
    const std::scoped_lock lock(state_);
    if (for_good_) return Why("the driver logged " + *for_good_);
  }
  if (!processes_gone()) return Why("a runner that was killed still waits inside the driver");
  WARPMIND_TRY(auto why, probe(stop));
  take_xids();
  const std::scoped_lock lock(state_);
  if (for_good_) return Why("the driver logged " + *for_good_);
  return why;
}

Result<std::optional<std::string>> DeviceHealth::probe(const std::stop_token& stop) {
  using Why = std::optional<std::string>;
  double fastest = 0;
  for (int i = 0; i < settings_.timings; ++i) {
    auto report = hooks_.probe(stop);
    if (!report && report.error().code == Errc::cancelled) return fail(report.error());
    if (!report) return Why("the probe did not run: " + report.error().message);
    if (report->stuck) {
      const std::scoped_lock lock(state_);
      stuck_.push_back(std::move(report->stuck));
    }
    if (!report->trouble.empty()) return Why("the probe failed: " + report->trouble);
    if (report->time_ns <= 0) return Why();
    fastest = i == 0 ? report->time_ns : std::min(fastest, report->time_ns);
    const std::scoped_lock lock(state_);
    if (best_ns_ <= 0 || fastest <= best_ns_ * settings_.slower) {
      best_ns_ = best_ns_ <= 0 ? fastest : std::min(best_ns_, fastest);
      return Why();
    }
  }
  const std::scoped_lock lock(state_);
  return Why("the probe takes " + fixed(fastest / best_ns_, 2) + " times as long as before");
}

void DeviceHealth::enter_quarantine(const std::string& why) {
  const std::scoped_lock lock(state_);
  const bool first = !why_;
  why_ = why;
  next_try_ = hooks_.clock->monotonic() + settings_.retry;
  if (first) log::error("profilers", "device quarantined", {{"why", sentence()}});
}

std::string DeviceHealth::sentence() const {
  const std::string reset = "`sudo nvidia-smi --gpu-reset -i " + settings_.reset_argument +
                            "` (it ends every program on that GPU)";
  const std::string head =
      settings_.device + " is quarantined, nothing is measured on it: " + *why_;
  if (for_good_) return head + "; reset it with " + reset + ", then restart the daemon";
  return head + "; it is tried again every " + std::to_string(settings_.retry.count()) +
         " s; if it stays so, reset it with " + reset;
}

std::optional<std::string> DeviceHealth::quarantine() const {
  const std::scoped_lock lock(state_);
  if (!why_) return std::nullopt;
  return sentence();
}

}  // namespace warpmind::profilers
