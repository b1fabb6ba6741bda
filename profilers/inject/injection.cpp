/// \file
/// libwarpmind_inject.so: the CUDA driver loads it into a program that runs with
/// CUDA_INJECTION64_PATH=libwarpmind_inject.so WARPMIND_KERNELS=FILE, and calls InitializeInjection
/// before its first CUDA call is done. Kernels are timed by CUPTI's activity records; nothing that
/// the program prints is looked at. Without CUPTI the program runs as it would have.

#include "profilers/inject/cupti_activities.h"
#include "profilers/inject/kernel_record.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr std::size_t kBufferAlignment = 8;

void say_of_injection(const std::string& line) {
  std::fprintf(stderr, "[warpmind inject] %s\n", line.c_str());
}

/// The one object of the process: CUPTI's callbacks take no context of ours. Never destroyed, since
/// CUPTI's own thread may still deliver.
struct Injection {
  Injection(CuptiActivities functions, std::string target)
      : cupti(functions), trace(std::move(target), "cupti") {}
  CuptiActivities cupti;
  KernelTrace trace;
};
Injection* injection = nullptr;

void CUPTIAPI give_buffer(uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<uint8_t*>(
      ::operator new (kBufferBytes, std::align_val_t{kBufferAlignment}, std::nothrow));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

std::uint32_t unsigned_of(std::int32_t value) {
  return value < 0 ? 0 : static_cast<std::uint32_t>(value);
}

/// The record of a kernel, as CUPTI of the release whose headers this is built with writes it.
#if WARPMIND_HAS_KERNEL_ACTIVITY_10
using KernelActivity = CUpti_ActivityKernel10;
#else
using KernelActivity = CUpti_ActivityKernel9;
#endif

KernelRun run_of(const KernelActivity& activity) {
  KernelRun run;
  run.kernel = activity.name == nullptr ? "" : activity.name;
  run.start_ns = activity.start;
  run.end_ns = activity.end;
  run.grid = {unsigned_of(activity.gridX), unsigned_of(activity.gridY),
              unsigned_of(activity.gridZ)};
  run.block = {unsigned_of(activity.blockX), unsigned_of(activity.blockY),
               unsigned_of(activity.blockZ)};
  run.registers = activity.registersPerThread;
  run.shared_bytes =
      unsigned_of(activity.staticSharedMemory) + unsigned_of(activity.dynamicSharedMemory);
  run.stream = activity.streamId;
  return run;
}

void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, std::size_t /*size*/,
                          std::size_t valid) noexcept {
  try {
    std::vector<KernelRun> runs;
    CUpti_Activity* record = nullptr;
    while (valid > 0 && injection->cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
      runs.push_back(run_of(*reinterpret_cast<const KernelActivity*>(record)));
    }
    std::size_t dropped = 0;
    if (injection->cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) {
      injection->trace.add_dropped(dropped);
    }
    if (const auto written = injection->trace.write(runs); !written) {
      say_of_injection(written.error().message);
    }
  } catch (const std::exception& e) {
    say_of_injection(e.what());
  }
  ::operator delete (buffer, std::align_val_t{kBufferAlignment});
}

void finish_injection() {
  (void)injection->cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (const auto done = injection->trace.finish(); !done) say_of_injection(done.error().message);
}

Result<void> start_injection(const std::string& target) {
  WARPMIND_TRY(const auto cupti, load_cupti_activities());
  injection = new Injection(cupti, target);
  const auto check = [&](const char* what, CUptiResult code) -> Result<void> {
    if (code == CUPTI_SUCCESS) return {};
    const char* text = nullptr;
    (void)cupti.result_string(code, &text);
    return fail(Errc::unavailable, std::string(what) + ": " + (text == nullptr ? "?" : text));
  };
  WARPMIND_CHECK(check("registering for kernel records",
                       cupti.register_callbacks(&give_buffer, &take_buffer)));
  WARPMIND_CHECK(
      check("asking for kernel records", cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)));
  WARPMIND_CHECK(injection->trace.write({}));  // so that "no kernel ran" differs from "no record"
  (void)std::atexit(finish_injection);
  return {};
}

}  // namespace
}  // namespace warpmind::profilers

/// Called by the CUDA driver. 1 = loaded; what goes wrong must not stop the program.
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace warpmind::profilers;  // NOLINT(google-build-using-namespace)
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return 1;
  const char* const target = std::getenv("WARPMIND_KERNELS");
  if (target == nullptr || *target == '\0') {
    say_of_injection("WARPMIND_KERNELS does not name a file: nothing is recorded");
    return 1;
  }
  try {
    if (const auto started = start_injection(target); !started) {
      say_of_injection(started.error().message);
    }
  } catch (const std::exception& e) {
    say_of_injection(e.what());
  }
  return 1;
}
