#pragma once
/// \file
/// What a daemon has of other hosts: labs on workers that are there, and the exchange of insights.

#include "base/model/job.h"
#include "base/result.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "daemon/hosts/buses.h"
#include "daemon/hosts/evaluation_order.h"
#include "profilers/kernel_lab.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::knowledge_base {
class KnowledgeBase;
}

namespace warpmind::daemon::hosts {

class ClaimCourier;

/// Workers of one device model that are there now.
struct RemoteLane {
  LaneName name;
  Provider provider = Provider::gpu;
  DeviceIdentity device;
  std::int64_t workers = 0;
};

/// Which lane a worker with this device and provider serves. `model` is empty for the simulator,
/// which predicts for any device.
[[nodiscard]] LaneName lane_of(Provider provider, const DeviceIdentity& device);
/// What labs of this build and provider are called in lanes and evidence.
[[nodiscard]] std::string harness_of(Provider provider);

/// Of the settings queue.*. Errors: invalid_argument for an address or a token file that cannot be.
[[nodiscard]] Result<NatsOptions> nats_options(const config::Settings& settings, std::string name);

/// Threads: any. The exchange has a thread of its own, which ends with the object.
class Hosts {
 public:
  /// Null where queue.nats names no server. `base` must outlive it. Does not wait for the server.
  /// Errors: as nats_options; unavailable in a build without NATS.
  [[nodiscard]] static Result<std::unique_ptr<Hosts>> open(const config::Settings& settings,
                                                           knowledge_base::KnowledgeBase& base);
  Hosts(const config::Settings& settings, Buses buses, std::string asker);
  ~Hosts();
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  /// By name. Those that were there within the patience (queue.patience_s) count as there: a link
  /// that is cut or workers that start anew are waited for.
  [[nodiscard]] std::vector<RemoteLane> lanes();
  /// The lab of the workers that serve `request`, of those with the device that it names where it
  /// names one to be measured on; null where none is there: this machine's own lab is the way then.
  /// A lab with patience of its own: a link may be cut at any time.
  [[nodiscard]] std::shared_ptr<profilers::KernelLab> lab_for(const JobRequest& request,
                                                              const config::DeviceTable& devices);
  [[nodiscard]] bool serves(Provider provider);

 private:
  struct SeenLane {
    RemoteLane lane;
    std::chrono::steady_clock::time_point at;
  };
  [[nodiscard]] std::chrono::milliseconds patience() const;
  std::shared_ptr<profilers::KernelLab> lab_of(const RemoteLane& lane, const std::string& device);

  const config::Settings& settings_;
  Buses buses_;
  std::string asker_;
  std::mutex mutex_;
  std::map<LaneName, SeenLane> seen_;
  std::map<LaneName, std::shared_ptr<profilers::KernelLab>>
      labs_;  ///< they count what was answered
  std::unique_ptr<ClaimCourier> courier_;
  std::jthread exchange_;  // last: ends first
};

}  // namespace warpmind::daemon::hosts
