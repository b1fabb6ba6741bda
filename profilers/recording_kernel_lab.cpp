#include "profilers/recording_kernel_lab.h"

#include "base/file.h"
#include "base/log.h"
#include "profilers/lab_recording.h"

namespace warpmind::profilers {
namespace {

void log_failure(const Result<void>& written) {
  if (!written) {
    log::warn("profilers", "recording not written", {{"cause", written.error().message}});
  }
}

}  // namespace

Result<std::unique_ptr<RecordingKernelLab>> RecordingKernelLab::create(
    std::unique_ptr<KernelLab> lab, std::filesystem::path directory) {
  WARPMIND_CHECK(make_private_directory(directory));
  return std::unique_ptr<RecordingKernelLab>(
      new RecordingKernelLab(std::move(lab), std::move(directory)));
}

Result<DeviceIdentity> RecordingKernelLab::device() {
  auto device = lab_->device();
  if (device) log_failure(write_recording(device_file(directory_), *device));
  return device;
}

Result<Verdict> RecordingKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  auto verdict = lab_->judge(order, std::move(stop));
  if (verdict) {
    log_failure(write_recording(verdict_file(directory_, order.kernel, order.incumbent), *verdict));
  }
  return verdict;
}

Result<std::string> RecordingKernelLab::machine_code(const JudgeOrder& order,
                                                     std::stop_token stop) {
  auto code = lab_->machine_code(order, std::move(stop));
  if (code && !code->empty()) {
    BuildReport build;
    build.succeeded = true;
    build.machine_code = *code;
    log_failure(write_recording(code_file(directory_, order.kernel), build));
  }
  return code;
}

Result<Comparison> RecordingKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  auto comparison = lab_->compare(order, std::move(stop));
  if (comparison && order.incumbent != nullptr) {
    log_failure(
        write_recording(comparison_file(directory_, order.kernel, *order.incumbent), *comparison));
  }
  return comparison;
}

}  // namespace warpmind::profilers
