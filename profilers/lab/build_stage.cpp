/// \file
/// Stage build: the candidate, and what it is compared with.

#include "base/compiler_complaint.h"
#include "base/model/device.h"
#include "profilers/lab/new_spills.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/staged_judging.h"
#include "profilers/lab/static_checks.h"

#include <algorithm>
#include <string>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Of the given kernel, where a candidate differs from it by more than any kernel may.
constexpr std::uint32_t kPerturbedBuilds = 3;

}  // namespace

std::optional<std::string> StagedJudging::find_missing_kernel() const {
  if (order_.kernel.tier != Tier::a) return std::nullopt;
  for (const auto& launch : order_.kernel.plan.launches) {
    const auto& built = verdict_.build->kernels;
    const bool known = std::any_of(built.begin(), built.end(), [&](const KernelResources& k) {
      return k.kernel == launch.kernel;
    });
    if (!known) {
      return "the launch plan names '" + launch.kernel +
             "', but the source defines no such __global__ function; declare it extern \"C\"";
    }
  }
  return std::nullopt;
}

Result<std::string> StagedJudging::digest_candidate() {
  if (check_statically(order_.kernel)) return std::string();
  begin(Stage::build);
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(order_.kernel, architecture, stop_));
  return std::move(built.report.machine_code);
}

StagedJudging::Continue StagedJudging::build() {
  begin(Stage::build);
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(order_.kernel, architecture, stop_));
  verdict_.build = std::move(built.report);
  candidate_.binary = std::move(built.binary);
  if (!verdict_.build->succeeded) {
    return stop_with(Stage::build,
                     {Outcome::build_failed,
                      "does not build: " + first_error_line(verdict_.build->diagnostics)});
  }
  if (auto missing = find_missing_kernel()) {
    return stop_with(Stage::build, {Outcome::build_failed, std::move(*missing)});
  }
  verdict_.profile = static_profile(order_.task, order_.kernel, *verdict_.build, primary(), spec_);
  WARPMIND_TRY(auto spills, find_new_spills());
  if (spills) return stop_with(Stage::build, {Outcome::build_failed, std::move(*spills)});
  pass(Stage::build, architecture + (verdict_.build->from_cache ? ", from the cache" : ""));
  return true;
}

Result<std::optional<std::string>> StagedJudging::find_new_spills() {
  const bool gated = order_.refuse_new_spills && parts_.settings.lab.spill_gate;
  if (!gated || order_.incumbent == nullptr || !spills(*verdict_.build)) {
    return std::optional<std::string>();
  }
  WARPMIND_TRY([[maybe_unused]] const auto built, build_incumbent());  // mostly from the cache
  return describe_new_spills(*verdict_.build, incumbent_build_);
}

Result<BuiltKernel> StagedJudging::build_incumbent() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(*order_.incumbent, architecture, stop_));
  if (!built.report.succeeded) {
    return fail(Errc::external_failure,
                "the incumbent no longer builds: " + first_error_line(built.report.diagnostics));
  }
  incumbent_build_ = std::move(built.report);
  return BuiltKernel{order_.incumbent, std::move(built.binary)};
}

Result<std::unique_ptr<GivenKernel>> StagedJudging::build_given() {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  const Kernel& given = order_.task.kernel;
  WARPMIND_TRY(auto built, parts_.toolchain.build_kernel(given, architecture, stop_));
  if (!built.report.succeeded) {
    return fail(Errc::invalid_argument,
                "the task has no reference and its given kernel does not build: " +
                    first_error_line(built.report.diagnostics));
  }
  auto build_perturbed = [this, binary = built.binary, architecture = built.report.architecture](
                             PerturbedPart part) -> Result<std::vector<std::filesystem::path>> {
    std::vector<std::filesystem::path> builds;
    if (order_.task.kernel.tier != Tier::a) return builds;
    PtxChange change;
    change.strains = part == PerturbedPart::strained;
    for (change.seed = 1; change.seed <= kPerturbedBuilds; ++change.seed) {
      WARPMIND_TRY(auto one, parts_.toolchain.build_perturbed(binary, architecture, change, stop_));
      if (one.report.succeeded) builds.push_back(std::move(one.binary));
    }
    return builds;
  };
  return std::make_unique<GivenKernel>(order_.task, parts_.settings.lab, std::move(built.binary),
                                       order_.kernel == given, start_given_,
                                       std::move(build_perturbed));
}

}  // namespace warpmind::profilers
