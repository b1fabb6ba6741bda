#include "daemon/episode_engine.h"

#include "agents/analysis/kernel_analyst.h"
#include "agents/episode_service.h"
#include "agents/external/external_episodes.h"
#include "base/log.h"
#include "config/device_table.h"
#include "daemon/hosts/hosts.h"
#include "daemon/model_writers.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "profilers/exclusive_kernel_lab.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/locked_kernel_lab.h"
#include "profilers/program/program_desk.h"
#include "profilers/recording_kernel_lab.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <map>
#include <mutex>
#include <utility>

namespace warpmind::daemon {
namespace {

using SharedLab = std::shared_ptr<profilers::KernelLab>;

/// For the lane and for external episodes at the same time; recorded where that is wanted.
Result<SharedLab> shared(
    std::unique_ptr<profilers::KernelLab> lab, const std::filesystem::path& directory,
    std::shared_ptr<profilers::DeviceTurn> turn = std::make_shared<profilers::DeviceTurn>()) {
  if (!directory.empty()) {
    WARPMIND_TRY(lab, profilers::RecordingKernelLab::create(std::move(lab), directory));
  }
  return SharedLab(std::make_shared<profilers::LockedKernelLab>(std::move(lab), std::move(turn)));
}

std::string describe(const DeviceIdentity& device) {
  return device.name + " (" + architecture_of(device.compute_major, device.compute_minor) +
         ", driver " + device.driver + ")";
}

class EpisodeEngine final : public JobEngine, public JobRunner {
 public:
  EpisodeEngine(knowledge_base::KnowledgeBase& base, const config::Settings& settings,
                const Clock& clock, config::DeviceTable devices,
                std::unique_ptr<ModelWriters> writers, std::unique_ptr<hosts::Hosts> hosts)
      : settings_(settings),
        hosts_(std::move(hosts)),
        devices_(std::move(devices)),
        writers_(std::move(writers)),
        service_(base.store(), devices_, labs(), clock, memory_use(),
                 [this](const JobRequest& request) { return writers_->make(request); }),
        guests_(base.store(), devices_, labs(), clock, guest_options(base)),
        analyst_(settings, labs(),
                 [&base](const knowledge_base::InsightQuery& query) {
                   return base.retrieval().search(query);
                 }),
        programs_(
            settings_, devices_, [this] { return gpu_identity(); }, gpu_turn_) {}

  JobRunner& runner() override { return *this; }

  agents::ExternalEpisodes* guests() override { return &guests_; }
  agents::KernelAnalyst* analyst() override { return &analyst_; }

  profilers::ProgramDesk* programs() override { return &programs_; }

  DeviceView device() override { return device_view(); }

  Result<void> run(Job job, const JobControl& control) override {
    // A lab serves one call at a time: identification comes first, here or on the pool.
    const DeviceView& machine = device_view();
    const bool elsewhere =
        hosts_ && job.request.provider == Provider::gpu && hosts_->serves(Provider::gpu);
    if (job.request.provider_automatic && machine.mode != "gpu" && !elsewhere) {
      job.request.provider = Provider::sim;
      control.progress({0, job.request.budget.evaluations, 1,
                        "no GPU is used: results are checked, and times predicted, in the "
                        "simulator (" +
                            machine.device + ")"});
    }
    agents::RunControl episode;
    episode.stop = control.stop;
    episode.parking = control.parking;
    episode.between_steps = control.between_steps;
    episode.progress = [&control](const agents::EpisodeProgress& news) {
      control.progress({news.step, news.steps, news.best_ratio, news.line});
    };
    return service_.run(std::move(job), episode);
  }

 private:
  agents::LabSource labs() {
    return [this](const JobRequest& request) { return lab_for(request); };
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

  Result<SharedLab> lab_for(const JobRequest& request) {
    if (hosts_) {
      if (auto remote = hosts_->lab_for(request)) return remote;
    }
    const std::scoped_lock lock(labs_mutex_);
    switch (request.provider) {
      case Provider::gpu: return gpu_lab();
      case Provider::fixture: return fixture_lab(request.fixture_directory);
      case Provider::sim: break;
    }
    return simulated_lab(request.device);
  }

  /// One lab a device that was asked for: each keeps its predictions.
  Result<SharedLab> simulated_lab(const std::string& device) {
    SharedLab& known = simulated_labs_[device];
    if (known) return known;
    WARPMIND_TRY(auto lab, profilers::SimulatedKernelLab::create(settings_, devices_, device));
    WARPMIND_TRY(known, shared(std::move(lab), settings_.lab.record_directory));
    return known;
  }

  Result<SharedLab> gpu_lab() {
    if (gpu_lab_) return gpu_lab_;
    WARPMIND_TRY(auto measuring, profilers::WorkerKernelLab::create(settings_, devices_));
    // A worker of this machine may measure for other hosts.
    std::unique_ptr<profilers::KernelLab> lab =
        std::make_unique<profilers::ExclusiveKernelLab>(std::move(measuring));
    WARPMIND_TRY(gpu_lab_, shared(std::move(lab), settings_.lab.record_directory, gpu_turn_));
    return gpu_lab_;
  }

  Result<DeviceIdentity> gpu_identity() {
    SharedLab lab;
    {
      const std::scoped_lock lock(labs_mutex_);
      WARPMIND_TRY(lab, gpu_lab());
    }
    return lab->device();
  }

  static Result<SharedLab> fixture_lab(const std::filesystem::path& directory) {
    if (directory.empty()) {
      return fail(Errc::invalid_argument,
                  "the provider fixture needs a recording: set lab.fixture_directory");
    }
    WARPMIND_TRY(auto lab, profilers::FixtureKernelLab::create(directory));
    return shared(std::move(lab), {});
  }

  /// The lab that jobs get by default, and what it measures on.
  DeviceView identify() {
    const std::scoped_lock lock(labs_mutex_);
    const std::string& provider = settings_.lab.provider;
    if (provider == name_of(Provider::sim)) return simulated_view("");
    const bool fixture = provider == name_of(Provider::fixture);
    auto lab = fixture ? fixture_lab(settings_.lab.fixture_directory) : gpu_lab();
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
  config::DeviceTable devices_;
  std::unique_ptr<ModelWriters> writers_;
  std::mutex labs_mutex_;  // of the two below
  std::map<std::string, SharedLab> simulated_labs_;
  SharedLab gpu_lab_;
  std::shared_ptr<profilers::DeviceTurn> gpu_turn_ = std::make_shared<profilers::DeviceTurn>();
  std::once_flag identified_;
  DeviceView view_;
  agents::EpisodeService service_;
  agents::ExternalEpisodes guests_;
  agents::KernelAnalyst analyst_;
  profilers::ProgramDesk programs_;
};

}  // namespace

Result<std::unique_ptr<JobEngine>> make_episode_engine(knowledge_base::KnowledgeBase& base,
                                                       const config::Settings& settings,
                                                       const Clock& clock) {
  WARPMIND_TRY(auto devices, config::DeviceTable::load());
  WARPMIND_TRY(auto writers, ModelWriters::create(base, settings, clock));
  WARPMIND_TRY(auto hosts, hosts::Hosts::open(settings, base));
  return std::unique_ptr<JobEngine>(std::make_unique<EpisodeEngine>(
      base, settings, clock, std::move(devices), std::move(writers), std::move(hosts)));
}

}  // namespace warpmind::daemon
