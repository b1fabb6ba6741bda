#include "daemon/episode_engine.h"

#include "agents/episode_service.h"
#include "base/log.h"
#include "config/device_table.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/recording_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <mutex>
#include <utility>

namespace warpmind::daemon {
namespace {

using SharedLab = std::shared_ptr<profilers::KernelLab>;

Result<std::unique_ptr<profilers::KernelLab>> recorded(std::unique_ptr<profilers::KernelLab> lab,
                                                       const std::filesystem::path& directory) {
  if (directory.empty()) return lab;
  WARPMIND_TRY(auto recording, profilers::RecordingKernelLab::create(std::move(lab), directory));
  return std::unique_ptr<profilers::KernelLab>(std::move(recording));
}

std::string describe(const DeviceIdentity& device) {
  return device.name + " (" + architecture_of(device.compute_major, device.compute_minor) +
         ", driver " + device.driver + ")";
}

class EpisodeEngine final : public JobEngine, public JobRunner {
 public:
  EpisodeEngine(knowledge_base::KnowledgeStore& store, const config::Settings& settings,
                const Clock& clock, config::DeviceTable devices)
      : settings_(settings),
        devices_(std::move(devices)),
        service_(
            store, devices_, [this](const JobRequest& request) { return lab_for(request); },
            clock) {}

  JobRunner& runner() override { return *this; }

  DeviceView device() override {
    std::call_once(identified_, [this] { view_ = identify(); });
    return view_;
  }

  Result<void> run(Job job, const JobControl& control) override {
    // A lab serves one call at a time: identification comes first, here or on the pool.
    (void)device();
    agents::RunControl episode;
    episode.stop = control.stop;
    episode.parking = control.parking;
    episode.progress = [&control](const agents::EpisodeProgress& news) {
      control.progress({news.step, news.steps, news.best_ratio, news.line});
    };
    return service_.run(std::move(job), episode);
  }

 private:
  Result<SharedLab> lab_for(const JobRequest& request) {
    switch (request.provider) {
      case Provider::gpu: return gpu_lab();
      case Provider::fixture: return fixture_lab(request.fixture_directory);
      case Provider::sim: break;
    }
    return fail(Errc::invalid_argument,
                "this build has no simulator; use the provider gpu, or "
                "fixture with a recording");
  }

  Result<SharedLab> gpu_lab() {
    if (gpu_lab_) return gpu_lab_;
    WARPMIND_TRY(auto lab, profilers::WorkerKernelLab::create(settings_, devices_));
    WARPMIND_TRY(gpu_lab_, recorded(std::move(lab), settings_.lab.record_directory));
    return gpu_lab_;
  }

  static Result<SharedLab> fixture_lab(const std::filesystem::path& directory) {
    if (directory.empty()) {
      return fail(Errc::invalid_argument,
                  "the provider fixture needs a recording: set lab.fixture_directory");
    }
    WARPMIND_TRY(auto lab, profilers::FixtureKernelLab::create(directory));
    return SharedLab(std::move(lab));
  }

  /// The lab that jobs get by default, and what it measures on.
  DeviceView identify() {
    const bool fixture = settings_.lab.provider == name_of(Provider::fixture);
    auto lab = fixture ? fixture_lab(settings_.lab.fixture_directory) : gpu_lab();
    if (!lab) return {"static", "", lab.error().message};
    const auto device = (*lab)->device();
    if (!device) return {fixture ? "fixture" : "static", "", device.error().message};
    log::info("daemon", "device", {{"name", device->name}, {"driver", device->driver}});
    return {fixture ? "fixture" : "gpu", describe(*device),
            fixture ? "results are replayed from a recording, nothing is measured" : ""};
  }

  const config::Settings& settings_;
  config::DeviceTable devices_;
  SharedLab gpu_lab_;  // used after identified_ by the lane only
  std::once_flag identified_;
  DeviceView view_;
  agents::EpisodeService service_;
};

}  // namespace

Result<std::unique_ptr<JobEngine>> make_episode_engine(knowledge_base::KnowledgeStore& store,
                                                       const config::Settings& settings,
                                                       const Clock& clock) {
  WARPMIND_TRY(auto devices, config::DeviceTable::load());
  return std::unique_ptr<JobEngine>(
      std::make_unique<EpisodeEngine>(store, settings, clock, std::move(devices)));
}

}  // namespace warpmind::daemon
