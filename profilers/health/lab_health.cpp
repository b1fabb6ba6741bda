#include "profilers/health/lab_health.h"

#include "profilers/health/kernel_log.h"
#include "profilers/health/pci_address.h"
#include "profilers/health/sanity_probe.h"
#include "profilers/toolchain/kernel_toolchain.h"

#include <string>
#include <utility>

namespace warpmind::profilers {
namespace fs = std::filesystem;

std::shared_ptr<DeviceHealth> make_device_health(const config::ToolchainSettings& toolchain,
                                                 const Sandbox& sandbox, RunnerPlace& place) {
  // Found anew for each probe: probes are rare, and the build comes from the cache but for the
  // first.
  ProbeBuilder build = [toolchain, &sandbox](const std::string& source,
                                             const std::string& architecture,
                                             const std::stop_token& stop) -> Result<fs::path> {
    WARPMIND_TRY(const auto compilers, KernelToolchain::create(toolchain, sandbox));
    Kernel kernel;
    kernel.source = source;
    WARPMIND_TRY(auto built, compilers.build_kernel(kernel, architecture, stop));
    if (built.report.succeeded) return std::move(built.binary);
    return fail(Errc::external_failure,
                "the probe's kernel does not build: " + built.report.diagnostics.substr(0, 200));
  };
  const auto probe = std::make_shared<SanityProbe>(sandbox, place, std::move(build));
  const auto log = std::make_shared<KernelLog>();
  HealthHooks hooks;
  hooks.clock = std::make_shared<SystemClock>();
  hooks.probe = [probe](const std::stop_token& stop) { return probe->probe_device(stop); };
  hooks.pci_of = [](const std::string& uuid) { return pci_address_of(uuid); };
  if (log->readable()) hooks.new_xids = [log] { return log->take(); };
  HealthSettings settings;
  settings.reset_argument = visible_device(place);
  settings.device = "GPU " + settings.reset_argument;
  auto health = std::make_shared<DeviceHealth>(std::move(settings), std::move(hooks));
  place.on_bad_end = [health](AbnormalEnd end) { return health->note_end(std::move(end)); };
  return health;
}

}  // namespace warpmind::profilers
