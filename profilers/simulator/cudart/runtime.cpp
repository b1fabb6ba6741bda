#include "profilers/simulator/cudart/runtime.h"

#include "base/text.h"
#include "config/device_table.h"

#include <array>
#include <cpuid.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <link.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warpmind::simulator {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr std::uint32_t kKib = 1024;

/// Inner loops are built for these; docs/simulator.md.
Result<void> check_processor() {
  // Clang's __builtin_cpu_supports does not know F16C by name.
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has_f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  if (has_f16c && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return {};
  }
  return fail(Errc::unavailable,
              "the simulator needs a processor with AVX2, FMA and F16C (x86-64-v3)");
}

Result<DeviceSpec> find_device(const std::string& key) {
  const auto& table = config::device_table();
  if (auto spec = table.find(key)) return std::move(*spec);
  return fail(Errc::invalid_argument, "CUDASIM_DEVICE=" + key +
                                          " is no row of the device table; known: " +
                                          join_text(table.all(), ", ", &DeviceSpec::key));
}

std::string joined(const Error& error) { return "cannot start: " + error.message; }

}  // namespace

void say(const std::string& line) {
  const std::string text = "[cudasim] " + line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void say_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string>& said = *new std::set<std::string>();  // outlives global destructors
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) say(line);
}

Runtime::Runtime(RuntimeSettings with, DeviceSpec spec, ReportWriter writer)
    : settings(std::move(with)),
      device(std::move(spec)),
      memory(static_cast<std::uint64_t>(device.memory_gib * kGib)),
      report(std::move(writer)),
      trace(settings.trace, "simulator"),
      kernels(settings.kernels, "simulator") {
  if (!settings.contents) return;
  trace.keep_contents([this](const profilers::MemoryPieces& from, std::uint64_t, char* to) {
    const Allocation* const allocation = memory.find(from.address);
    if (allocation == nullptr || !memory_is_current) return false;
    for (std::uint64_t i = 0; i < from.count; ++i, to += from.bytes) {
      std::memcpy(to, memory.host(from.address + i * from.stride), from.bytes);
    }
    return true;
  });
}

Result<std::unique_ptr<Runtime>> Runtime::create(const Environment& environment) {
  WARPMIND_CHECK(check_processor());
  WARPMIND_TRY(RuntimeSettings settings, read_runtime_settings(environment));
  WARPMIND_TRY(DeviceSpec spec, find_device(settings.device));
  WARPMIND_TRY(ReportWriter writer, ReportWriter::open(settings.report));
  try {
    return std::unique_ptr<Runtime>(
        new Runtime(std::move(settings), std::move(spec), std::move(writer)));
  } catch (const std::bad_alloc& e) {
    return fail(Errc::unavailable, e.what());
  }
}

std::uint32_t Runtime::most_shared() const {
  return static_cast<std::uint32_t>(device.shared_kib_per_block) * kKib;
}

namespace {

std::uint64_t thread_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct ThreadTime {
  std::uint64_t spent_ns = 0;
  bool inside = false;
};

ThreadTime& time_of_thread() {
  thread_local ThreadTime time;
  return time;
}

}  // namespace

RuntimeTime::RuntimeTime() {
  ThreadTime& time = time_of_thread();
  if (time.inside) return;
  time.inside = true;
  started_ = thread_time_ns();
}

RuntimeTime::~RuntimeTime() {
  if (started_ == 0) return;
  ThreadTime& time = time_of_thread();
  time.spent_ns += thread_time_ns() - started_;
  time.inside = false;
}

std::uint64_t RuntimeTime::spent() { return time_of_thread().spent_ns; }

Process& process() {
  static Process& only = *new Process();  // see Runtime: never destroyed
  return only;
}

Runtime* start_runtime() {
  Process& here = process();
  const std::lock_guard lock(here.mutex);
  if (!here.tried) {
    here.tried = true;
    try {
      auto made = Runtime::create(process_environment());
      if (made) {
        here.runtime = std::move(*made);
      } else {
        say(joined(made.error()));
      }
    } catch (const std::exception& e) {
      say(std::string("cannot start: ") + e.what());
    }
  }
  return here.runtime.get();
}

cudaError_t& last_error() {
  thread_local cudaError_t last = cudaSuccess;
  return last;
}

cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess) last_error() = code;
  return code;
}

void trace_call(Runtime& runtime, const profilers::CudaCall& call) {
  if (!runtime.trace.is_on()) return;
  if (const auto written = runtime.trace.write(call); !written) say_once(written.error().message);
}

void trace_wait(Runtime& runtime, const char* what, const void* stream) {
  profilers::CudaCall call;
  call.kind = profilers::CallKind::wait;
  call.name = what;
  call.stream = reinterpret_cast<std::uint64_t>(stream);
  trace_call(runtime, call);
}

int remember_code(int code) { return remember(static_cast<cudaError_t>(code)); }

std::shared_ptr<Stream> find_stream(Runtime& runtime, cudaStream_t handle) {
  // Per-thread default streams order more than they must: see WARPMIND_PER_THREAD.
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
    return runtime.streams.legacy();
  }
  const std::lock_guard lock(runtime.mutex);
  const auto at = runtime.stream_handles.find(handle);
  return at == runtime.stream_handles.end() ? nullptr : at->second;
}

cudaError_t refuse(const Error& error) {
  say_once(error.message);
  switch (error.code) {
    case Errc::not_found: return cudaErrorNoKernelImageForDevice;
    case Errc::corrupt_data:
    case Errc::unavailable: return cudaErrorInvalidKernelImage;
    default: return cudaErrorInvalidPtx;
  }
}

// Says, before main(), which libraries of the program cannot work: they look for the driver on
// ways that do not lead through the runtime, and fail with a word that explains nothing.

namespace {

constexpr std::array<std::string_view, 9> kNeedDriver = {
    "libcublas",   "libcublasLt", "libcudnn", "libcufft", "libcurand",
    "libcusolver", "libcusparse", "libnccl",  "libcuda"};

/// "/usr/lib/libcublas.so.13" -> "libcublas".
std::string_view plain_name(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.find('.'));
}

int collect(dl_phdr_info* library, std::size_t, void* names) {
  const std::string_view name = plain_name(library->dlpi_name);
  for (const std::string_view needy : kNeedDriver) {
    if (name != needy) continue;
    std::string& list = *static_cast<std::string*>(names);
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return 0;
}

[[gnu::constructor]] void say_what_needs_the_driver() {
  std::string names;
  dl_iterate_phdr(&collect, &names);
  if (names.empty()) return;
  say_once("the program is linked with " + names +
           ", which needs the CUDA driver: the simulator stands in for the runtime only, so that "
           "its functions will fail");
}

}  // namespace

}  // namespace warpmind::simulator
