#include "daemon/episode_engine.h"

#include "agents/analysis/kernel_analyst.h"
#include "agents/episode_service.h"
#include "agents/external/external_episodes.h"
#include "base/log.h"
#include "config/device_table.h"
#include "daemon/gpu_labs.h"
#include "daemon/hosts/hosts.h"
#include "daemon/model_writers.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/program/program_desk.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/toolchain/compilers.h"

#include <map>
#include <mutex>
#include <utility>

namespace warpmind::daemon {
namespace {

std::string describe(const DeviceIdentity& device) {
  return device.name + " (" + architecture_of(device.compute_major, device.compute_minor) +
         ", driver " + device.driver + ")";
}

class EpisodeEngine final : public JobEngine, public JobRunner {
 public:
  EpisodeEngine(knowledge_base::KnowledgeBase& base, const config::Settings& settings,
                const Clock& clock, std::unique_ptr<ModelWriters> writers,
                std::unique_ptr<hosts::Hosts> hosts)
      : settings_(settings),
        hosts_(std::move(hosts)),
        writers_(std::move(writers)),
        lanes_(survey_lanes(settings)),
        builds_(std::make_shared<profilers::BuildSlots>(
            static_cast<std::size_t>(settings.queue.builds))),
        gpus_(settings_, devices_, lanes_, builds_),
        guests_(base.store(), devices_, labs(), clock, guest_options(base)),
        analyst_(settings, labs(),
                 [&base](const knowledge_base::InsightQuery& query) {
                   return base.retrieval().search(query);
                 }),
        programs_(
            settings_, devices_, [this] { return gpu_identity(); }, gpus_.first_turn()) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      services_.push_back(std::make_unique<agents::EpisodeService>(
          base.store(), devices_, labs(lane), clock, memory_use(),
          [this](const JobRequest& request) { return writers_->make(request); }));
    }
  }

  JobRunner& runner() override { return *this; }

  agents::ExternalEpisodes* guests() override { return &guests_; }
  agents::KernelAnalyst* analyst() override { return &analyst_; }

  profilers::ProgramDesk* programs() override { return &programs_; }

  [[nodiscard]] std::vector<LaneSpec> lanes() const override { return lanes_; }

  DeviceView device() override { return device_view(); }

  Result<MachineNow> machine() override {
    if (device_view().mode != "gpu") return fail(Errc::unavailable, "no GPU is used");
    MachineNow now;
    WARPMIND_TRY(now.device, gpu_identity());
    if (const auto nvcc = profilers::find_nvcc(settings_.toolchain)) now.toolkit = nvcc->release;
    return now;
  }

  Result<void> run_job(Job job, const JobControl& control) override {
    // A lab serves one call at a time: identification comes first, here or on the pool.
    const DeviceView& machine = device_view();
    const bool elsewhere =
        hosts_ && job.request.provider == Provider::gpu && hosts_->serves(Provider::gpu);
    if (job.request.provider_automatic && !has_gpu(control.lane, machine) && !elsewhere) {
      job.request.provider = Provider::sim;
      control.progress({0,
                        job.request.budget.evaluations,
                        1,
                        "no GPU is used: results are checked, and times predicted, in the "
                        "simulator (" +
                            machine.device + ")",
                        0,
                        {},
                        {},
                        true});
    }
    return services_.at(control.lane)->run_job(std::move(job), control);
  }

 private:
  /// Whether the lane can measure.
  bool has_gpu(std::size_t lane, const DeviceView& machine) {
    if (lane == 0 || lanes_.at(lane).device.empty()) return machine.mode == "gpu";
    auto lab = gpus_.lab(lane);
    return lab && (*lab)->device().has_value();
  }

  agents::LabSource labs(std::size_t lane = 0) {
    return [this, lane](const JobRequest& request) { return lab_for(request, lane); };
  }

  [[nodiscard]] agents::MemoryUse memory_use() const {
    return {settings_.knowledge.insights, settings_.knowledge.withhold};
  }

  [[nodiscard]] agents::ExternalOptions guest_options(knowledge_base::KnowledgeBase& base) const {
    agents::ExternalOptions options;
    options.lease_seconds = settings_.episode.lease_s;
    options.memory = memory_use();
    options.techniques = [&base]() -> Result<std::vector<std::string>> {
      WARPMIND_TRY(const auto cards, base.insights().techniques());
      std::vector<std::string> names;
      names.reserve(cards.size());
      for (const auto& card : cards) names.push_back(card.name);
      return names;
    };
    return options;
  }

  const DeviceView& device_view() {
    std::call_once(identified_, [this] { view_ = identify(); });
    return view_;
  }

  Result<SharedLab> lab_for(const JobRequest& request, std::size_t lane) {
    if (hosts_) {
      if (auto remote = hosts_->lab_for(request, devices_)) return remote;
    }
    switch (request.provider) {
      case Provider::gpu: return named_gpu_lab(request.device, lane);
      case Provider::fixture: return fixture_lab(request.fixture_directory);
      case Provider::sim: break;
    }
    return simulated_lab(request.device);
  }

  /// One lab a device that was asked for: each keeps its predictions.
  Result<SharedLab> simulated_lab(const std::string& device) {
    const std::scoped_lock lock(simulated_mutex_);
    SharedLab& known = simulated_labs_[device];
    if (known) return known;
    WARPMIND_TRY(auto lab,
                 profilers::SimulatedKernelLab::create(settings_, devices_, device, {"", builds_}));
    WARPMIND_TRY(known, shared_lab(std::move(lab), settings_.lab.record_directory));
    return known;
  }

  /// The lane's lab, if its GPU is the one that `name` asks for.
  Result<SharedLab> named_gpu_lab(const std::string& name, std::size_t lane) {
    WARPMIND_TRY(auto lab, gpus_.lab(lane));
    if (name.empty()) return lab;
    const auto here = lab->device();
    if (here && devices_.means(name, *here)) return lab;
    return fail(Errc::unavailable,
                "the job asks for the GPU '" + name.substr(0, 64) + "', and here is " +
                    (here ? describe(*here) : std::string("none")) +
                    (hosts_ ? "; no worker of another host has it now" : "") +
                    ": start `warpmind worker` on a machine with it (docs/hosts.md), or leave "
                    "--device out");
  }

  Result<DeviceIdentity> gpu_identity() {
    WARPMIND_TRY(auto lab, gpus_.lab());
    return lab->device();
  }

  static Result<SharedLab> fixture_lab(const std::filesystem::path& directory) {
    if (directory.empty()) {
      return fail(Errc::invalid_argument,
                  "the provider fixture needs a recording: set lab.fixture_directory");
    }
    WARPMIND_TRY(auto lab, profilers::FixtureKernelLab::create(directory));
    return shared_lab(std::move(lab), {});
  }

  /// The lab that jobs get by default, and what it measures on.
  DeviceView identify() {
    const std::string& provider = settings_.lab.provider;
    if (provider == name_of(Provider::sim)) return simulated_view("");
    const bool fixture = provider == name_of(Provider::fixture);
    auto lab = fixture ? fixture_lab(settings_.lab.fixture_directory) : gpus_.lab();
    if (!lab) return {"static", "", lab.error().message};
    const auto device = (*lab)->device();
    if (device) {
      log::info("daemon", "device", {{"name", device->name}, {"driver", device->driver}});
      return {fixture ? "fixture" : "gpu", describe(*device),
              fixture ? "results are replayed from a recording, nothing is measured" : ""};
    }
    if (provider == "auto") return simulated_view(device.error().message);
    return {fixture ? "fixture" : "static", "", device.error().message};
  }

  DeviceView simulated_view(const std::string& why) {
    auto lab = simulated_lab("");
    if (!lab) return {"static", "", (why.empty() ? why : why + "; ") + lab.error().message};
    const auto device = (*lab)->device();
    if (!device) return {"static", "", device.error().message};
    return {"sim", device->name + ", simulated",
            "times are predicted, nothing is measured" + (why.empty() ? why : ": " + why)};
  }

  const config::Settings& settings_;
  std::unique_ptr<hosts::Hosts> hosts_;  // null = this host alone
  const config::DeviceTable& devices_ = config::device_table();
  std::unique_ptr<ModelWriters> writers_;
  std::vector<LaneSpec> lanes_;
  std::shared_ptr<profilers::BuildSlots> builds_;  // of all labs
  GpuLabs gpus_;
  std::mutex simulated_mutex_;  // of the labs below
  std::map<std::string, SharedLab> simulated_labs_;
  std::once_flag identified_;
  DeviceView view_;
  std::vector<std::unique_ptr<agents::EpisodeService>> services_;  // by lane
  agents::ExternalEpisodes guests_;
  agents::KernelAnalyst analyst_;
  profilers::ProgramDesk programs_;
};

}  // namespace

Result<std::unique_ptr<JobEngine>> make_episode_engine(knowledge_base::KnowledgeBase& base,
                                                       const config::Settings& settings,
                                                       const Clock& clock) {
  WARPMIND_TRY(auto writers, ModelWriters::create(base, settings, clock));
  WARPMIND_TRY(auto hosts, hosts::Hosts::open(settings, base));
  return std::unique_ptr<JobEngine>(
      std::make_unique<EpisodeEngine>(base, settings, clock, std::move(writers), std::move(hosts)));
}

}  // namespace warpmind::daemon
