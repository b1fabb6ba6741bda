#include "daemon/hosts/worker_labs.h"

#include "base/log.h"
#include "profilers/exclusive_kernel_lab.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/locked_kernel_lab.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"

#include <utility>

namespace warpmind::daemon::hosts {
namespace {

using SharedLab = std::shared_ptr<profilers::KernelLab>;

template <class Lab>
SharedLab shared(std::unique_ptr<Lab> lab) {
  return std::make_shared<profilers::LockedKernelLab>(std::move(lab));
}

}  // namespace

Result<std::unique_ptr<WorkerLabs>> WorkerLabs::open(const config::Settings& settings) {
  std::unique_ptr<WorkerLabs> labs(new WorkerLabs(settings));
  WARPMIND_CHECK(labs->choose());
  return labs;
}

Result<void> WorkerLabs::choose() {
  const std::string& serve = settings_.queue.serve;
  const std::string& asked = serve == "auto" ? settings_.lab.provider : serve;
  if (asked == name_of(Provider::sim)) return take(Provider::sim);
  if (asked == name_of(Provider::fixture)) return take(Provider::fixture);
  auto taken = take(Provider::gpu);
  if (asked == "auto" && !taken) {
    log::info("daemon", "no GPU is served", {{"why", taken.error().message}});
    return take(Provider::sim);
  }
  if (!taken) return taken;
  const auto architecture = architecture_of(device_.compute_major, device_.compute_minor);
  const bool any = asked == "auto" || asked == name_of(Provider::gpu);
  if (any || asked == architecture) return {};
  return fail(Errc::invalid_argument, "queue.serve is " + asked.substr(0, 64) +
                                          ", but the GPU of " + "this machine is " + device_.name +
                                          ", " + architecture);
}

Result<void> WorkerLabs::take(Provider provider) {
  provider_ = provider;
  labs_.clear();
  WARPMIND_TRY(const auto lab, lab_for(settings_.lab.target));
  WARPMIND_TRY(device_, lab->device());
  return {};
}

Result<SharedLab> WorkerLabs::lab_for(const std::string& device) {
  const std::scoped_lock lock(mutex_);
  SharedLab& known = labs_[provider_ == Provider::sim ? device : std::string()];
  if (known) return known;
  switch (provider_) {
    case Provider::sim: {
      WARPMIND_TRY(auto lab, profilers::SimulatedKernelLab::create(settings_, devices_, device));
      known = shared(std::move(lab));
      break;
    }
    case Provider::fixture: {
      WARPMIND_TRY(auto lab, profilers::FixtureKernelLab::create(settings_.lab.fixture_directory));
      known = shared(std::move(lab));
      break;
    }
    case Provider::gpu: {
      WARPMIND_TRY(auto lab, profilers::WorkerKernelLab::create(settings_, devices_));
      known = shared(std::make_unique<profilers::ExclusiveKernelLab>(std::move(lab)));
      break;
    }
  }
  return known;
}

}  // namespace warpmind::daemon::hosts
