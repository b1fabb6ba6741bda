#include "profilers/simulator/cudart/launches.h"

#include "profilers/simulator/cudart/error_names.h"
#include "profilers/simulator/cudart/launch_time.h"
#include "profilers/simulator/cudart/occupancy.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

/// Without cudaFuncAttributeMaxDynamicSharedMemorySize.
constexpr std::uint32_t kDefaultShared = 48 * 1024;
// CUDA C++ programming guide, table "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMostThreads = 1024;
constexpr unsigned kMostBlockZ = 64;
constexpr unsigned kMostGridX = std::numeric_limits<std::int32_t>::max();
constexpr unsigned kMostGridYZ = 65535;
/// Warp instructions of a wave with caches: about a quarter of a second.
constexpr std::uint64_t kWaveInstructions = 5'000'000;

/// Everything that a launch needs after the call has returned.
struct Launch {
  ReadyKernel kernel;
  SimulatedShape shape;
  std::uint64_t stream = 0;
  std::vector<std::byte> parameters;

  [[nodiscard]] LaunchRequest request(std::uint64_t grid_workspace) const {
    LaunchRequest out{shape, *kernel.module, *kernel.program, parameters};
    out.grid_workspace = grid_workspace;
    return out;
  }
};

std::uint64_t volume(const dim3& extents) {
  return std::uint64_t{extents.x} * extents.y * extents.z;
}

void tell(Runtime& runtime, const LaunchReport& report);

/// `problem`: why, where it is more than the numbers of the launch.
cudaError_t check_configuration(Runtime& runtime, const ReadyKernel& kernel, const KernelCall& call,
                                std::string& problem) {
  const std::uint64_t threads = volume(call.config.blockDim);
  const bool block_fits =
      threads > 0 && threads <= kMostThreads && call.config.blockDim.z <= kMostBlockZ &&
      call.config.blockDim.x <= kMostThreads && call.config.blockDim.y <= kMostThreads;
  const bool grid_fits = volume(call.config.gridDim) > 0 && call.config.gridDim.x <= kMostGridX &&
                         call.config.gridDim.y <= kMostGridYZ &&
                         call.config.gridDim.z <= kMostGridYZ;
  if (!block_fits || !grid_fits) return cudaErrorInvalidConfiguration;
  const Program& program = *kernel.program;
  if (program.most_threads > 0 && threads > program.most_threads) {
    problem = "its blocks have " + std::to_string(threads) + " threads, and its launch bounds " +
              std::to_string(program.most_threads);
    return cudaErrorLaunchOutOfResources;
  }
  const std::uint32_t opted = kernel.handle->most_dynamic_shared;
  const std::uint64_t limit =
      opted > 0 ? std::uint64_t{opted} + program.shared_bytes : std::uint64_t{kDefaultShared};
  const std::uint64_t wanted = call.config.dynamicSmemBytes + program.shared_bytes;
  if (wanted > std::max<std::uint64_t>(limit, kDefaultShared) || wanted > runtime.most_shared()) {
    problem = "it asks for " + std::to_string(call.config.dynamicSmemBytes) +
              " bytes of dynamic shared memory beside " + std::to_string(program.shared_bytes) +
              " static; the limit is " + std::to_string(limit) +
              " in all (cudaFuncAttributeMaxDynamicSharedMemorySize raises it to " +
              std::to_string(runtime.most_shared()) + ")";
    say_once("kernel " + program.name + ": " + problem);
    return cudaErrorInvalidValue;
  }
  if (call.cooperative) {
    const int resident = active_blocks(runtime.device, program, static_cast<int>(threads),
                                       call.config.dynamicSmemBytes);
    const auto room = static_cast<std::uint64_t>(resident) *
                      static_cast<std::uint64_t>(std::max(runtime.device.sm_count, 1));
    if (volume(call.config.gridDim) > room) {
      problem = "a cooperative launch of " + std::to_string(volume(call.config.gridDim)) +
                " blocks; the device holds " + std::to_string(room) +
                " at once: launch no more, or split the kernel at its grid barriers";
      say_once("kernel " + program.name + ": " + problem);
      return cudaErrorCooperativeLaunchTooLarge;
    }
  }
  if (!program.unsupported.empty()) {
    LaunchReport refused;
    refused.launch.kernel = program.name;
    refused.launch.end = LaunchEnd::unsupported;
    problem = "it cannot run in the simulator: " + program.unsupported;
    refused.launch.end_reason =
        "kernel " + program.name + " cannot run in the simulator: " + program.unsupported;
    tell(runtime, refused);
    return cudaErrorNotSupported;
  }
  return cudaSuccess;
}

std::vector<std::byte> pack_parameters(const Program& program, void** arguments) {
  std::vector<std::byte> block(program.parameter_bytes);
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const ptx::Parameter& parameter = program.parameters[i];
    if (parameter.bytes == 0) continue;  // an empty struct
    std::memcpy(block.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  return block;
}

bool has(const LaunchRecord& record, CheckKind kind) {
  for (const CheckEntry& entry : record.checks) {
    if (entry.kind == kind) return true;
  }
  return false;
}

/// What the machine's driver would say.
cudaError_t code_of(const LaunchRecord& record) {
  switch (record.end) {
    case LaunchEnd::completed: return cudaSuccess;
    case LaunchEnd::step_limit:
    case LaunchEnd::time_limit:
    case LaunchEnd::deadlock: return cudaErrorLaunchTimeout;
    case LaunchEnd::stack_overflow: return cudaErrorLaunchFailure;
    case LaunchEnd::unsupported: return cudaErrorNotSupported;
    case LaunchEnd::fault: break;
  }
  if (has(record, CheckKind::device_assert)) return cudaErrorAssert;
  for (const CheckKind kind : {CheckKind::global_out_of_bounds, CheckKind::shared_out_of_bounds,
                               CheckKind::local_out_of_bounds, CheckKind::use_after_free,
                               CheckKind::null_or_host_pointer}) {
    if (has(record, kind)) return cudaErrorIllegalAddress;
  }
  return has(record, CheckKind::misaligned) ? cudaErrorMisalignedAddress : cudaErrorLaunchFailure;
}

void tell(Runtime& runtime, const LaunchReport& report) {
  if (runtime.settings.print) {
    const std::string findings = describe_findings(report.launch);
    std::fwrite(findings.data(), 1, findings.size(), stderr);
  }
  if (!report.finished) {
    say("kernel " + report.launch.kernel + " was stopped: " + report.launch.end_reason);
  }
  if (runtime.report.is_open() && !runtime.report.write(report)) {
    say_once("the report cannot be written: " + runtime.settings.report);
  }
}

/// Ends a launch that does not happen.
cudaError_t refused(Runtime& runtime, const ReadyKernel& kernel, const KernelCall& call,
                    cudaError_t code) {
  profilers::CudaCall line;
  line.kind = profilers::CallKind::refused;
  line.name = kernel.handle == nullptr ? std::string() : kernel.handle->name;
  line.grid = {call.config.gridDim.x, call.config.gridDim.y, call.config.gridDim.z};
  line.block = {call.config.blockDim.x, call.config.blockDim.y, call.config.blockDim.z};
  line.shared_bytes = static_cast<std::uint32_t>(call.config.dynamicSmemBytes);
  line.value = code;
  const char* const name = cuda_error_name(code);
  line.reason = kernel.problem.empty() && name != nullptr ? name : kernel.problem;
  trace_call(runtime, line);
  return code;
}

void trace_trouble(Runtime& runtime, profilers::CallKind kind, const std::string& kernel,
                   std::string reason) {
  profilers::CudaCall line;
  line.kind = kind;
  line.name = kernel;
  line.reason = std::move(reason);
  if (kind == profilers::CallKind::fault) line.value = runtime.fault();
  trace_call(runtime, line);
}

std::string in_words(const CheckEntry& entry) {
  std::string what(name_of(entry.kind));
  if (entry.source_line > 0) what += ", line " + std::to_string(entry.source_line);
  return what + ": " + entry.detail;
}

/// Of a launch that has run.
void trace_outcome(Runtime& runtime, const LaunchRecord& record) {
  const bool failed = record.end != LaunchEnd::completed;
  std::string fault = record.end_reason;
  for (const CheckEntry& entry : record.checks) {
    if (failed && record.end_reason.find(entry.detail) != std::string::npos) {
      fault = in_words(entry);
    } else {
      trace_trouble(runtime, profilers::CallKind::finding, record.kernel, in_words(entry));
    }
  }
  if (failed) trace_trouble(runtime, profilers::CallKind::fault, record.kernel, fault);
}

void trace_launch(Runtime& runtime, const Launch& launch, cudaStream_t stream,
                  const Stream& queue) {
  if (!runtime.trace.is_on()) return;
  const std::lock_guard lock(runtime.mutex);  // what buffers hold is read
  runtime.memory_is_current = runtime.streams.is_free(queue);
  profilers::CudaCall call;
  call.kind = profilers::CallKind::launch;
  call.name = launch.kernel.program->name;
  call.grid = launch.shape.grid;
  call.block = launch.shape.block;
  call.shared_bytes = launch.shape.shared_bytes;
  call.stream = reinterpret_cast<std::uint64_t>(stream);
  call.async = true;
  call.cooperative = launch.shape.cooperative;
  for (const ptx::Parameter& parameter : launch.kernel.program->parameters) {
    const std::byte* const at = launch.parameters.data() + parameter.offset;
    call.arguments.emplace_back(reinterpret_cast<const char*>(at), parameter.bytes);
  }
  trace_call(runtime, call);
}

/// With caches, where the runtime profiles; none when the blocks do not get on side by side.
std::optional<LaunchRecord> wave_of(Runtime& runtime, const Launch& launch,
                                    const LaunchRequest& request) {
  if (!runtime.settings.profile) return std::nullopt;
  const std::uint32_t resident = resident_blocks(runtime.device, *launch.kernel.program,
                                                 launch.shape.block, launch.shape.shared_bytes);
  auto wave = run_wave(request, runtime.device, resident, kWaveInstructions, runtime.memory,
                       runtime.sampling.seed);
  if (!wave) {
    say_once("no wave of " + launch.kernel.program->name + ": " + wave.error().message);
    return std::nullopt;
  }
  if (wave->end != LaunchEnd::completed) return std::nullopt;
  return std::move(*wave);
}

LaunchOptions options_for(const Runtime& runtime) {
  LaunchOptions options = runtime.settings.launch;
  options.reversed = options.reversed != runtime.opposite_order;
  if (runtime.sampling.seed != 0) options.sample_seed = runtime.sampling.seed;
  if (runtime.sampling.instructions > 0) {
    options.instruction_budget = runtime.sampling.instructions;
    options.check_initialised = true;
    options.written_blocks_only = true;
  }
  return options;
}

/// Device memory that grid.sync() of cooperative groups counts in, for one launch.
class GridWorkspace {
 public:
  GridWorkspace(DeviceMemory& memory, bool wanted) : memory_(memory) {
    if (!wanted) return;
    address_ = memory_.allocate(kBytes);
    if (address_ == 0) throw std::bad_alloc();
    memory_.mark_written(address_, kBytes);
    std::memset(memory_.host(address_), 0, kBytes);
  }
  ~GridWorkspace() {
    if (address_ != 0) memory_.release(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }

 private:
  static constexpr std::size_t kBytes = 8;  ///< grid_workspace of CUDA's driver_abi.h
  DeviceMemory& memory_;
  std::uint64_t address_ = 0;
};

/// Runs in whichever thread works the stream off. Returns the predicted time.
double simulate_launch(Runtime& runtime, const Launch& launch) {
  const std::lock_guard lock(runtime.mutex);
  if (runtime.fault() != cudaSuccess) return 0;  // the context is lost: nothing runs any more
  const GridWorkspace workspace(runtime.memory, launch.shape.cooperative);
  const LaunchRequest request = launch.request(workspace.address());
  // Before the launch, which it must find as the launch will: a kernel could see that its results
  // are there already.
  const auto wave = wave_of(runtime, launch, request);
  auto record = run_launch(request, options_for(runtime), runtime.memory);
  if (!record) {
    say(record.error().message);
    runtime.set_fault(cudaErrorLaunchFailure);
    trace_trouble(runtime, profilers::CallKind::fault, launch.kernel.program->name,
                  record.error().message);
    return 0;
  }
  LaunchReport report;
  report.launch = std::move(*record);
  report.finished = report.launch.end == LaunchEnd::completed;
  if (report.finished) report.wave = wave;
  report.predicted_ns =
      predicted_ns(runtime.device, report.launch, report.wave ? &*report.wave : nullptr);
  tell(runtime, report);
  if (!report.finished) runtime.set_fault(code_of(report.launch));
  trace_outcome(runtime, report.launch);
  return report.predicted_ns * runtime.settings.time_scale;
}

/// The run that ends at `end_ns` of the runtime's clock, for the kernel record.
void record_kernel(Runtime& runtime, const Launch& launch, double start_ns, double end_ns) {
  if (!runtime.kernels.is_on()) return;
  profilers::KernelRun run;
  run.kernel = launch.kernel.program->name;
  run.start_ns = static_cast<std::uint64_t>(std::max(start_ns, 0.0));
  run.end_ns = std::max(run.start_ns, static_cast<std::uint64_t>(std::max(end_ns, 0.0)));
  run.grid = launch.shape.grid;
  run.block = launch.shape.block;
  run.shared_bytes = launch.shape.shared_bytes + launch.kernel.program->shared_bytes;
  run.stream = launch.stream;
  run.skipped = runtime.settings.null_kernels;
  if (const auto written = runtime.kernels.write({run}); !written) {
    say_once(written.error().message);
  }
}

/// As simulate_launch(), but what goes wrong in the simulator itself becomes a fault of the
/// context.
double simulate_guarded(Runtime& runtime, const Launch& launch) noexcept {
  try {
    return simulate_launch(runtime, launch);
  } catch (const std::exception& e) {
    say("kernel " + launch.kernel.program->name + ": " + e.what());
    runtime.set_fault(cudaErrorLaunchFailure);
    return 0;
  }
}

}  // namespace

cudaError_t find_kernel(Runtime& runtime, const void* any, ReadyKernel& out) {
  const std::lock_guard lock(runtime.mutex);
  const KernelModules& modules = process().modules;
  out.handle = modules.kernel(any);
  if (out.handle == nullptr) return cudaErrorInvalidDeviceFunction;
  auto module = out.handle->module->compiled(runtime.memory, runtime.capability());
  if (!module) {
    out.problem = module.error().message;
    return refuse(module.error());
  }
  out.module = std::move(*module);
  out.program = out.module->find(out.handle->name);
  if (out.program == nullptr || !out.program->is_entry) return cudaErrorInvalidDeviceFunction;
  return cudaSuccess;
}

cudaError_t launch_kernel(Runtime& runtime, const KernelCall& call) {
  auto launch = std::make_shared<Launch>();
  ReadyKernel& kernel = launch->kernel;
  auto code = find_kernel(runtime, call.kernel, kernel);
  if (code == cudaSuccess) code = check_configuration(runtime, kernel, call, kernel.problem);
  if (code != cudaSuccess) return refused(runtime, kernel, call, code);
  const std::shared_ptr<Stream> stream = find_stream(runtime, call.config.stream);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (call.arguments == nullptr && !launch->kernel.program->parameters.empty()) {
    return cudaErrorInvalidValue;
  }
  launch->shape.grid = {call.config.gridDim.x, call.config.gridDim.y, call.config.gridDim.z};
  launch->shape.block = {call.config.blockDim.x, call.config.blockDim.y, call.config.blockDim.z};
  launch->shape.shared_bytes = static_cast<std::uint32_t>(call.config.dynamicSmemBytes);
  launch->shape.cooperative = call.cooperative;
  launch->parameters = pack_parameters(*launch->kernel.program, call.arguments);
  trace_launch(runtime, *launch, call.config.stream, *stream);
  launch->stream = reinterpret_cast<std::uint64_t>(call.config.stream);
  runtime.streams.submit(stream, [&runtime, launch = std::move(launch)](double start_ns) {
    const bool skipped = runtime.settings.null_kernels;
    const double end_ns = skipped ? start_ns : start_ns + simulate_guarded(runtime, *launch);
    record_kernel(runtime, *launch, start_ns, end_ns);
    return end_ns;
  });
  return cudaSuccess;
}

// Launches, the call configuration of <<<>>>, and what nvcc's code registers before main().

namespace {

/// cudaLaunchAttributePreferredSharedMemoryCarveout, which CUDA 12.4 does not name.
constexpr int kPreferredSharedMemoryCarveout = 14;

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

/// Registration happens before main() and, for libraries, at any time beside running threads.
template <class Use>
void with_modules(Use&& use) {
  Process& here = process();
  Runtime* runtime = nullptr;
  {
    const std::lock_guard lock(here.mutex);
    runtime = here.runtime.get();
    if (runtime == nullptr) return use(here.modules, nullptr);
  }
  const std::lock_guard lock(runtime->mutex);
  use(here.modules, runtime);
}

/// Refuses attributes of cudaLaunchKernelExC that the simulator cannot follow.
cudaError_t check_attribute(const cudaLaunchAttribute& attribute) {
  switch (static_cast<int>(attribute.id)) {
    case cudaLaunchAttributeClusterDimension: {
      const auto& cluster = attribute.val.clusterDim;
      if (cluster.x * cluster.y * cluster.z <= 1) return cudaSuccess;
      say_once(
          "cudaLaunchKernelExC: clusters of more than one block are not supported by the "
          "simulator: launch without a cluster, or with one of 1x1x1");
      return cudaErrorNotSupported;
    }
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case kPreferredSharedMemoryCarveout:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeProgrammaticStreamSerialization: return cudaSuccess;
    default:
      say_once("cudaLaunchKernelExC: the launch attribute " +
               std::to_string(static_cast<int>(attribute.id)) +
               " is not supported by the simulator");
      return cudaErrorNotSupported;
  }
}

/// Of <<<grid, block, shared, stream>>>.
cudaLaunchConfig_t plain_config(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  return {grid, block, shared, stream, nullptr, 0};
}

cudaError_t launch_extended(Runtime& runtime, const cudaLaunchConfig_t* config,
                            const void* function, void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    const auto code = check_attribute(attribute);
    if (code != cudaSuccess) return code;
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
  }
  return launch_kernel(runtime, {function, *config, arguments, cooperative});
}

}  // namespace

}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier,readability-function-size)
// The declarations are CUDA's.
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

void** __cudaRegisterFatBinary(void* wrapper) {
  KernelModule* added = nullptr;
  with_modules([&](KernelModules& modules, Runtime*) {
    added = &modules.add(std::make_unique<KernelModule>(wrapper));
  });
  return reinterpret_cast<void**>(added);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle) {
  with_modules([&](KernelModules& modules, Runtime* runtime) {
    modules.remove(modules.find(handle), runtime != nullptr ? &runtime->memory : nullptr);
  });
}
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      modules.register_kernel(host, *module, name);
    }
  });
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int,
                       int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      modules.register_variable(host, *module, name);
    }
  });
}
void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t,
                              int, int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    if (KernelModule* const module = modules.find(handle)) {
      module->add_managed(name, host);
      modules.register_variable(host, *module, name);
    }
  });
}
void __cudaRegisterHostVar(void**, const char* name, char* host, std::size_t) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(host, std::string("the variable ") + name +
                                       " lives on the host; the simulator does not reach it");
  });
}
void __cudaRegisterTexture(void**, const void* host, const void**, const char* name, int, int,
                           int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(
        host, std::string("the texture reference ") + name + " is not supported by the simulator");
  });
}
void __cudaRegisterSurface(void**, const void* host, const void**, const char* name, int, int) {
  with_modules([&](KernelModules& modules, Runtime*) {
    modules.register_refused(
        host, std::string("the surface reference ") + name + " is not supported by the simulator");
  });
}
char __cudaInitModule(void** handle) {
  Runtime* const runtime = start_runtime();
  if (runtime == nullptr) return 0;
  const std::lock_guard lock(runtime->mutex);
  KernelModule* const module = process().modules.find(handle);
  if (module == nullptr || !module->has_managed()) return 1;
  // The program reads a managed variable's address as soon as this returns.
  const auto compiled = module->compiled(runtime->memory, runtime->capability());
  if (!compiled) (void)remember(refuse(compiled.error()));
  return compiled ? 1 : 0;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  configurations().push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations().empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* host) {
  return with_runtime([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    KernelHandle* const handle = process().modules.kernel(host);
    if (out == nullptr || handle == nullptr) return cudaErrorInvalidDeviceFunction;
    *out = reinterpret_cast<cudaKernel_t>(handle);
    return cudaSuccess;
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt, {kernel, plain_config(grid, block, shared, stream), arguments});
  });
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt, {function, plain_config(grid, block, shared, stream), arguments});
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return with_runtime(
      [&](Runtime& rt) { return launch_extended(rt, config, function, arguments); });
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return with_runtime([&](Runtime& rt) {
    return launch_kernel(rt,
                         {function, plain_config(grid, block, shared, stream), arguments, true});
  });
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier,readability-function-size)

WARPMIND_PER_THREAD(__cudaLaunchKernel, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchKernel, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchKernelExC, _ptsz);
WARPMIND_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);
