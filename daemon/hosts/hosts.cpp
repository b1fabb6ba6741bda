#include "daemon/hosts/hosts.h"

#include "agents/llm/secret_key.h"
#include "base/log.h"
#include "daemon/hosts/claim_courier.h"
#include "daemon/hosts/remote_kernel_lab.h"
#include "knowledge_base/knowledge_base.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/plan_prediction.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon::hosts {
namespace {

constexpr const char* kSimulated = "sim";
constexpr const char* kRecorded = "fixture";

Provider provider_of(const LaneName& lane) {
  if (lane.architecture == kSimulated) return Provider::sim;
  return lane.architecture == kRecorded ? Provider::fixture : Provider::gpu;
}

}  // namespace

std::string harness_of(Provider provider) {
  return token_of(provider == Provider::sim ? profilers::kSimulatorVersion
                                            : profilers::kHarnessVersion);
}

LaneName lane_of(Provider provider, const DeviceIdentity& device) {
  LaneName lane;
  lane.harness = harness_of(provider);
  if (provider == Provider::sim) {
    lane.architecture = kSimulated;
    return lane;
  }
  lane.architecture = provider == Provider::fixture
                          ? kRecorded
                          : architecture_of(device.compute_major, device.compute_minor);
  lane.model = token_of(device.name);
  return lane;
}

Result<NatsOptions> nats_options(const config::Settings& settings, std::string name) {
  const auto& queue = settings.queue;
  NatsOptions options;
  options.url = queue.nats;
  WARPMIND_CHECK(check_nats_url(options.url));
  if (!queue.nats_token_file.empty()) {
    WARPMIND_TRY(options.token,
                 agents::llm::read_key_file(queue.nats_token_file, "queue.nats_token_file"));
  }
  options.ca_file = queue.nats_ca_file;
  options.name = std::move(name);
  options.lease = std::chrono::milliseconds(static_cast<std::int64_t>(queue.lease_s * 1000));
  return options;
}

Result<std::unique_ptr<Hosts>> Hosts::open(const config::Settings& settings,
                                           knowledge_base::KnowledgeBase& base) {
  if (settings.queue.nats.empty()) return std::unique_ptr<Hosts>();
  WARPMIND_TRY(const auto state, base.claims().state());
  WARPMIND_TRY(const auto options, nats_options(settings, "warpmindd " + state.node));
  WARPMIND_TRY(auto buses, open_nats(options));
  auto hosts = std::make_unique<Hosts>(settings, std::move(buses), state.node);
  log::info("daemon", "working with other hosts", {{"server", options.url}, {"base", state.node}});
  if (settings.queue.share_insights) {
    hosts->courier_ = std::make_unique<ClaimCourier>(base.claims(), *hosts->buses_.claims,
                                                     *hosts->buses_.evaluations);
    hosts->exchange_ = std::jthread([courier = hosts->courier_.get()](const std::stop_token& stop) {
      courier->carry_claims(stop);
    });
  }
  return hosts;
}

Hosts::Hosts(const config::Settings& settings, Buses buses, std::string asker)
    : settings_(settings), buses_(std::move(buses)), asker_(std::move(asker)) {}

Hosts::~Hosts() = default;

std::chrono::milliseconds Hosts::patience() const {
  return std::chrono::milliseconds(static_cast<std::int64_t>(settings_.queue.patience_s * 1000));
}

std::vector<RemoteLane> Hosts::lanes() {
  const auto notices = buses_.evaluations->workers();
  if (!notices) {
    log::info("daemon", "the workers of other hosts are out of reach",
              {{"why", notices.error().message}});
  }
  std::map<LaneName, RemoteLane> found;
  for (const auto& text : notices.value_or(std::vector<std::string>())) {
    const auto notice = decode_notice(text);
    if (!notice) continue;
    const Provider provider = provider_of(notice->lane);
    if (notice->lane.harness != harness_of(provider)) continue;
    RemoteLane& lane = found[notice->lane];
    lane.name = notice->lane;
    lane.provider = provider;
    lane.device = notice->device;
    ++lane.workers;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  for (auto& [name, lane] : found) seen_[name] = {std::move(lane), now};
  std::erase_if(seen_, [&](const auto& one) { return now - one.second.at > patience(); });
  std::vector<RemoteLane> lanes;
  lanes.reserve(seen_.size());
  for (const auto& [name, seen] : seen_) lanes.push_back(seen.lane);
  return lanes;
}

bool Hosts::serves(Provider provider) {
  const auto all = lanes();
  return std::any_of(all.begin(), all.end(),
                     [provider](const RemoteLane& lane) { return lane.provider == provider; });
}

std::shared_ptr<profilers::KernelLab> Hosts::lab_for(const JobRequest& request,
                                                     const config::DeviceTable& devices) {
  const bool named = request.provider == Provider::gpu && !request.device.empty();
  const RemoteLane* best = nullptr;
  const auto all = lanes();
  for (const auto& lane : all) {
    if (lane.provider != request.provider) continue;
    if (named && !devices.means(request.device, lane.device)) continue;
    if (best == nullptr || lane.workers > best->workers) best = &lane;
  }
  if (best == nullptr) return nullptr;
  const bool simulated = request.provider == Provider::sim;
  const std::string key = request.device.empty() ? settings_.lab.target : request.device;
  return lab_of(*best, simulated ? key : std::string());
}

std::shared_ptr<profilers::KernelLab> Hosts::lab_of(const RemoteLane& lane,
                                                    const std::string& device) {
  RemoteLabOptions options;
  options.provider = lane.provider;
  options.lane = lane.name;
  options.device = device;
  if (!device.empty()) options.lane.model = token_of(device);
  options.asker = asker_;
  options.patience = patience();
  const std::scoped_lock lock(mutex_);
  auto& known = labs_[options.lane];
  if (!known) known = std::make_shared<RemoteKernelLab>(buses_.evaluations, options);
  return known;
}

}  // namespace warpmind::daemon::hosts
