#include "daemon/gpu_labs.h"

#include "base/log.h"
#include "profilers/exclusive_kernel_lab.h"
#include "profilers/gpu_survey.h"
#include "profilers/locked_kernel_lab.h"
#include "profilers/recording_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpmind::daemon {
namespace {

/// "gpu 0" first, then "gpu 0 (2)".
std::string lane_name(std::size_t gpu, std::int64_t seat) {
  const std::string name = "gpu " + std::to_string(gpu);
  return seat == 0 ? name : name + " (" + std::to_string(seat + 1) + ")";
}

}  // namespace

std::vector<LaneSpec> survey_lanes(const config::Settings& settings) {
  const std::string& provider = settings.lab.provider;
  const bool gpus_wanted = provider == "auto" || provider == name_of(Provider::gpu);
  if (settings.queue.lanes == "one" || !gpus_wanted) return {LaneSpec{}};
  const auto survey = profilers::survey_gpus(profilers::visible_devices());
  if (survey.gpus.empty()) {
    log::info("daemon", "one lane", {{"why", survey.note}});
    return {LaneSpec{}};
  }
  auto gpus = survey.gpus;
  // Whoever names no lane gets the first: external episodes, users' programs.
  if (const auto wanted = settings.lab.device; wanted > 0 && wanted < std::ssize(gpus)) {
    std::rotate(gpus.begin(), gpus.begin() + wanted, gpus.begin() + wanted + 1);
  }
  std::vector<LaneSpec> lanes;
  for (std::int64_t seat = 0; seat < settings.queue.jobs_per_gpu; ++seat) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      lanes.push_back(
          {lane_name(i, seat), gpus[i].device, gpus[i].name, {true, false, false}, seat});
      log::info("daemon", "lane", {{"name", lanes.back().name}, {"device", gpus[i].device}});
    }
  }
  lanes.push_back({"sim", "", "", {false, true, true}});
  return lanes;
}

Result<SharedLab> shared_lab(std::unique_ptr<profilers::KernelLab> lab,
                             const std::filesystem::path& directory) {
  if (!directory.empty()) {
    WARPMIND_TRY(lab, profilers::RecordingKernelLab::create(std::move(lab), directory));
  }
  return SharedLab(std::make_shared<profilers::LockedKernelLab>(std::move(lab)));
}

Result<SharedLab> GpuLabs::lab(std::size_t lane) {
  if (lanes_.at(lane).device.empty()) lane = 0;
  const std::string& device = lanes_[lane].device;
  const std::scoped_lock lock(mutex_);
  SharedLab& known = labs_[lane];
  if (known) return known;
  const Turns& turns = turns_[device];
  WARPMIND_TRY(auto measuring, profilers::WorkerKernelLab::create(settings_, devices_,
                                                                  {device, builds_, turns.here}));
  // A worker of this machine may measure for other hosts.
  auto lab = std::make_unique<profilers::ExclusiveKernelLab>(std::move(measuring), turns.machine);
  WARPMIND_TRY(known, shared_lab(std::move(lab), settings_.lab.record_directory));
  return known;
}

std::shared_ptr<profilers::DeviceTurn> GpuLabs::first_turn() {
  const std::scoped_lock lock(mutex_);
  return turns_[lanes_.front().device].here;
}

}  // namespace warpmind::daemon
