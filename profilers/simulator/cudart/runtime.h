#pragma once
/// \file
/// The process's simulated device: what stands behind the functions of the CUDA runtime.

#include "base/model/device.h"
#include "profilers/inject/kernel_record.h"
#include "profilers/launch_record/call_trace.h"
#include "profilers/simulator/cudart/cuda_api.h"
#include "profilers/simulator/cudart/kernel_modules.h"
#include "profilers/simulator/cudart/report_writer.h"
#include "profilers/simulator/cudart/runtime_settings.h"
#include "profilers/simulator/cudart/streams.h"
#include "profilers/simulator/memory/device_memory.h"

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace warpmind::simulator {

/// One line on stderr, each text once a process: what is refused must be seen, not repeated.
void say_once(const std::string& line);
/// One line on stderr, always.
void say(const std::string& line);

/// Who asked for memory: decides who gives it back, and what cudaPointerGetAttributes says.
enum class MemoryUse : std::uint8_t { device, managed, pinned };

/// What cudaEvent_t points to.
struct Event {
  unsigned flags = 0;
  std::shared_ptr<const Stamp> stamp;  ///< null = never recorded
};

/// Which blocks of the next launches run, as a caller asked that a candidate cannot read:
/// hooks.h.
struct BlockSampling {
  std::uint64_t seed = 0;          ///< 0 = spread evenly
  std::uint64_t instructions = 0;  ///< of warps, a launch; 0 = all blocks, or a sample to profile
};

/// Adds up the processor time that the calling thread spends inside the runtime, so that a host
/// function's own work can be told from the simulator's.
class RuntimeTime {
 public:
  RuntimeTime();
  ~RuntimeTime();
  RuntimeTime(const RuntimeTime&) = delete;
  RuntimeTime& operator=(const RuntimeTime&) = delete;

  /// Of this thread, in ns.
  [[nodiscard]] static std::uint64_t spent();

 private:
  std::uint64_t started_ = 0;  ///< 0 = inside another call of the runtime
};

/// Made by the first call that needs a device. Never destroyed: destructors of the program's own
/// globals still call CUDA.
class Runtime {
 public:
  /// Errors: invalid_argument for the environment, unavailable for the machine.
  [[nodiscard]] static Result<std::unique_ptr<Runtime>> create(const Environment& environment);

  /// 90 for 9.0.
  [[nodiscard]] int capability() const { return device.compute_major * 10 + device.compute_minor; }
  /// Default and opt-in limit of shared memory, in bytes.
  [[nodiscard]] std::uint32_t most_shared() const;

  const RuntimeSettings settings;
  const DeviceSpec device;

  /// Guards `memory`, `uses`, `registered`, `stream_handles`, `events`, `opposite_order`,
  /// `memory_is_current` and the modules. A launch holds it from begin to end; nobody submits work
  /// to a stream while holding it.
  std::mutex mutex;
  DeviceMemory memory;
  std::map<std::uint64_t, MemoryUse> uses;          ///< allocations of the program
  std::map<std::uint64_t, std::size_t> registered;  ///< cudaHostRegister: bytes
  std::map<const void*, std::shared_ptr<Stream>> stream_handles;
  std::map<const void*, std::unique_ptr<Event>> events;
  StreamScheduler streams;
  ReportWriter report;
  BlockSampling sampling;
  /// The launch being traced would run at once: memory is what it will find.
  bool memory_is_current = false;
  profilers::CallTrace trace;
  profilers::KernelTrace kernels;
  bool opposite_order = false;  ///< launches run in the opposite of the settings' order

  /// The context is lost: every call but a few answers with `code` from the next one on.
  void set_fault(cudaError_t code) {
    int none = cudaSuccess;
    fault_.compare_exchange_strong(none, code);
  }
  [[nodiscard]] cudaError_t fault() const { return static_cast<cudaError_t>(fault_.load()); }
  /// Whether a call has returned it: until then cudaGetLastError does not know, as on the machine,
  /// where the launch would still be under way.
  void deliver_fault() { delivered_ = true; }
  [[nodiscard]] bool fault_delivered() const { return delivered_; }
  void clear_fault() {
    fault_ = cudaSuccess;
    delivered_ = false;
  }

 private:
  Runtime(RuntimeSettings with, DeviceSpec spec, ReportWriter writer);

  std::atomic<int> fault_ = cudaSuccess;
  std::atomic<bool> delivered_ = false;
};

/// What nvcc's code registers before main(), and the runtime once it is made. The one object of
/// the process: the C interface has nowhere else to keep it.
struct Process {
  std::mutex mutex;  ///< guards `runtime` and its making; and `modules` until it is made
  KernelModules modules;
  std::unique_ptr<Runtime> runtime;
  bool tried = false;
};
[[nodiscard]] Process& process();

/// Makes the runtime on the first call; null after saying why there is none.
[[nodiscard]] Runtime* start_runtime();

/// Keeps `code` for cudaGetLastError of this thread, unless it is cudaSuccess.
cudaError_t remember(cudaError_t code);
/// The same by number, for code without CUDA's headers.
int remember_code(int code);
/// The last error of this thread; see cudaGetLastError.
[[nodiscard]] cudaError_t& last_error();

/// Body of an API function: no exception leaves it, errors are remembered, and after a fault
/// nothing is done any more. `body(Runtime&)` returns a cudaError_t.
template <class Body>
cudaError_t with_runtime(Body&& body) noexcept {
  const RuntimeTime time;
  Runtime* const runtime = start_runtime();
  if (runtime == nullptr) return remember(cudaErrorInitializationError);
  if (runtime->fault() != cudaSuccess) {
    runtime->deliver_fault();
    return runtime->fault();
  }
  try {
    return remember(body(*runtime));
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  } catch (const std::exception& e) {
    say(std::string("unexpected failure: ") + e.what());
    return remember(cudaErrorUnknown);
  }
}

/// Writes a call to the launch record, if there is one; says once when that fails.
void trace_call(Runtime& runtime, const profilers::CudaCall& call);
/// The host waits for `what`: device, stream or event.
void trace_wait(Runtime& runtime, const char* what, const void* stream);

/// For functions that wait for work: reports the fault that the work met.
[[nodiscard]] inline cudaError_t fault_after_waiting(Runtime& runtime) {
  if (runtime.fault() != cudaSuccess) runtime.deliver_fault();
  return runtime.fault();
}

/// The stream of a handle, the special ones included; null for a handle that is none.
[[nodiscard]] std::shared_ptr<Stream> find_stream(Runtime& runtime, cudaStream_t handle);

/// The error code that stands for a failure to load a module; says the sentence once.
[[nodiscard]] cudaError_t refuse(const Error& error);

}  // namespace warpmind::simulator
