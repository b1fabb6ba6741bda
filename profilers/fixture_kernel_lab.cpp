#include "profilers/fixture_kernel_lab.h"

#include "profilers/lab_recording.h"

namespace warpmind::profilers {

Result<std::unique_ptr<FixtureKernelLab>> FixtureKernelLab::create(
    std::filesystem::path directory) {
  std::error_code ec;
  if (!std::filesystem::is_directory(directory, ec)) {
    return fail(Errc::not_found, "the fixture directory '" + directory.string() +
                                     "' does not exist; set lab.fixture_directory");
  }
  WARPMIND_CHECK(read_device(device_file(directory)).transform([](const auto&) {}));
  return std::unique_ptr<FixtureKernelLab>(new FixtureKernelLab(std::move(directory)));
}

Result<DeviceIdentity> FixtureKernelLab::device() {
  WARPMIND_TRY(auto device, read_device(device_file(directory_)));
  if (!device) {
    return fail(Errc::unavailable, "no device was recorded in " + directory_.string() +
                                       "; record with lab.record_directory on a machine with one");
  }
  return std::move(*device);
}

Result<Verdict> FixtureKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the judging was cancelled");
  const auto file = verdict_file(directory_, order.kernel, order.incumbent);
  WARPMIND_TRY(auto recorded, read_verdict(file));
  Verdict verdict;
  if (recorded) {
    verdict = std::move(*recorded);
    if (verdict.measurement) verdict.measurement->provider = Provider::fixture;
  } else {
    verdict.outcome = Outcome::blocked;
    verdict.reason = "there is no recording of this kernel (" + file.filename().string() + ") in " +
                     directory_.string();
    verdict.stages.push_back({Stage::static_checks, 0, false, verdict.reason});
  }
  return verdict;
}

Result<std::string> FixtureKernelLab::machine_code(const JudgeOrder& order,
                                                   std::stop_token /*stop*/) {
  WARPMIND_TRY(const auto build, read_build(code_file(directory_, order.kernel)));
  return build ? build->machine_code : std::string();
}

Result<Comparison> FixtureKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the comparison was cancelled");
  if (order.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  const auto file = comparison_file(directory_, order.kernel, *order.incumbent);
  WARPMIND_TRY(auto recorded, read_comparison(file));
  if (!recorded) {
    return fail(Errc::unavailable, "there is no recording of this comparison (" +
                                       file.filename().string() + ") in " + directory_.string());
  }
  return *recorded;
}

}  // namespace warpmind::profilers
