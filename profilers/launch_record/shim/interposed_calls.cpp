/// \file
/// The functions of the CUDA runtime that are recorded, each of which calls the one behind it.
/// What allocates is written down afterwards, when the address is known; everything else before, so
/// that a launch that never ends is on record.

#include "base/sequence.h"
#include "profilers/launch_record/shim/recorder.h"
#include "profilers/simulator/cudart/cuda_api.h"

#include <string_view>

namespace warpmind::profilers {
namespace {

/// A runtime may carry out one of its functions by another, through the program's symbols, so that
/// the call comes by here again: only the program's own is recorded.
class Nesting {
 public:
  Nesting() { ++depth(); }
  ~Nesting() { --depth(); }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  [[nodiscard]] bool is_outermost() const { return depth() == 1; }

 private:
  static int& depth() {
    thread_local int calls = 0;
    return calls;
  }
};

struct ShimLaunch {
  const void* function = nullptr;
  dim3 grid;
  dim3 block;
  void** arguments = nullptr;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

using ParameterInfo = cudaError_t(const void*, std::size_t, std::size_t*, std::size_t*);

/// What a program sees as its last error is its own: questions of the recorder leave none.
class KeptLastError {
 public:
  KeptLastError() : was_clear_(peek() == nullptr || peek()() == cudaSuccess) {}
  ~KeptLastError() {
    static const auto take = reinterpret_cast<LastError*>(behind("cudaGetLastError"));
    if (was_clear_ && take != nullptr) take();
  }
  KeptLastError(const KeptLastError&) = delete;
  KeptLastError& operator=(const KeptLastError&) = delete;

 private:
  using LastError = cudaError_t();
  static LastError* peek() {
    static const auto function = reinterpret_cast<LastError*>(behind("cudaPeekAtLastError"));
    return function;
  }

  bool was_clear_;
};

/// The launch that this thread asked for last: what it becomes is known when CUDA has answered.
CudaCall& last_launch() {
  thread_local CudaCall call;
  return call;
}

/// Errors that end all work of the process's context.
bool is_fault(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
  }
}

/// `function` answered with an error. Of others than launches and faults the program knows best.
void note_failure(std::string_view function, cudaError_t code) {
  using Text = const char*(cudaError_t);
  static const auto text = reinterpret_cast<Text*>(behind("cudaGetErrorString"));
  const bool is_launch = function.find("LaunchKernel") != std::string_view::npos ||
                         function.find("LaunchCooperative") != std::string_view::npos;
  if (!is_fault(code) && !is_launch) return;
  CudaCall call = last_launch();
  call.kind = is_fault(code) ? CallKind::fault : CallKind::refused;
  if (is_fault(code)) call.name = function;
  call.arguments.clear();
  call.value = code;
  call.reason = text == nullptr ? "" : text(code);
  note(call);
}

void note_launch(const ShimLaunch& launch) {
  static const auto info = reinterpret_cast<ParameterInfo*>(behind("cudaFuncGetParamInfo"));
  Recorder& here = recorder();
  const void* const host = here.names.host_of(launch.function);
  CudaCall call;
  call.kind = CallKind::launch;
  call.name = here.names.name_of(launch.function);
  if (call.name.empty())
    return note_other("a launch of a kernel that nvcc's code did not register");
  call.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  call.block = {launch.block.x, launch.block.y, launch.block.z};
  call.shared_bytes = static_cast<std::uint32_t>(launch.shared);
  call.stream = reinterpret_cast<std::uint64_t>(launch.stream);
  call.async = true;
  call.cooperative = launch.cooperative;
  if (info == nullptr) note_other("kernel arguments: this runtime has no cudaFuncGetParamInfo");
  const KeptLastError kept;  // the question behind the last parameter is an error
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; info != nullptr && launch.arguments != nullptr &&
                          info(host, i, &offset, &bytes) == cudaSuccess;
       ++i) {
    call.arguments.emplace_back(static_cast<const char*>(launch.arguments[i]), bytes);
  }
  last_launch() = call;
  const auto is_empty = [](const auto& extents) { return contains(extents, 0U); };
  // CUDA refuses these: they never are launches.
  if (!is_empty(call.grid) && !is_empty(call.block)) note(call);
}

bool is_captured(cudaStream_t stream) {
  using Query = cudaError_t(cudaStream_t, cudaStreamCaptureStatus*);
  static const auto query = reinterpret_cast<Query*>(behind("cudaStreamIsCapturing"));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return query == nullptr || query(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

void note_extended(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr) return;
  bool cooperative = false;
  for (unsigned i = 0; config->attrs != nullptr && i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& one = config->attrs[i];
    if (one.id == cudaLaunchAttributeCooperative) cooperative = one.val.cooperative != 0;
  }
  note_launch({function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
               config->stream, cooperative});
}

}  // namespace

bool read_device_memory(const MemoryPieces& from, std::uint64_t stream, char* to) {
  using Copy = cudaError_t(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                           cudaMemcpyKind, cudaStream_t);
  using Wait = cudaError_t(cudaStream_t);
  static const auto copy = reinterpret_cast<Copy*>(behind("cudaMemcpy2DAsync"));
  static const auto wait = reinterpret_cast<Wait*>(behind("cudaStreamSynchronize"));
  // NOLINTBEGIN(performance-no-int-to-ptr): addresses and handles of the record
  const auto handle = reinterpret_cast<cudaStream_t>(stream);
  const auto* const memory = reinterpret_cast<const void*>(from.address);
  // NOLINTEND(performance-no-int-to-ptr)
  const KeptLastError kept;
  if (copy == nullptr || wait == nullptr || is_captured(handle)) return false;
  const bool copied = copy(to, from.bytes, memory, from.stride, from.bytes, from.count,
                           cudaMemcpyDefault, handle) == cudaSuccess;
  return wait(handle) == cudaSuccess && copied;
}

}  // namespace warpmind::profilers

using namespace warpmind::profilers;  // NOLINT(google-build-using-namespace)

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier,bugprone-macro-parentheses,readability-function-size)
/// Defines `result name parameters` that runs `first`, calls the function behind, and then, if that
/// succeeded, runs `then`; else it notes what went wrong.
#define WARPMIND_FORWARD(name, parameters, arguments, first, then)                \
  extern "C" __attribute__((visibility("default"))) cudaError_t name parameters { \
    using Function = cudaError_t parameters;                                      \
    static const auto forward = reinterpret_cast<Function*>(behind(#name));       \
    if (forward == nullptr) return cudaErrorSharedObjectSymbolNotFound;           \
    const Nesting nesting;                                                        \
    if (nesting.is_outermost()) {                                                 \
      first;                                                                      \
    }                                                                             \
    const cudaError_t code = forward arguments;                                   \
    if (code == cudaSuccess && nesting.is_outermost()) {                          \
      then;                                                                       \
    }                                                                             \
    if (code != cudaSuccess && nesting.is_outermost()) {                          \
      note_failure(#name, code);                                                  \
    }                                                                             \
    return code;                                                                  \
  }
/// Programs compiled with --default-stream per-thread call the names with a suffix.
#define WARPMIND_FORWARD_BOTH(name, suffix, parameters, arguments, first, then) \
  WARPMIND_FORWARD(name, parameters, arguments, first, then)                    \
  extern "C" cudaError_t name##suffix parameters;                               \
  WARPMIND_FORWARD(name##suffix, parameters, arguments, first, then)

/// As WARPMIND_FORWARD_BOTH; where the program's kernels shall do nothing, their launches end here
/// and are all that is recorded. `function` is what is launched.
#define WARPMIND_FORWARD_LAUNCH(name, suffix, parameters, arguments, function, first) \
  WARPMIND_FORWARD_BOTH(                                                              \
      name, suffix, parameters, arguments,                                            \
      if (!recorder().null_kernels || recorder().skips(function)) {                   \
        first;                                                                        \
      } if (recorder().skips(function)) return cudaSuccess, )

extern "C" __attribute__((visibility("default"))) void __cudaRegisterFunction(
    void** handle, const char* host, char* device, const char* name, int thread_limit, uint3* tid,
    uint3* bid, dim3* block, dim3* grid, int* warp_size) {
  static const auto forward =
      reinterpret_cast<decltype(&__cudaRegisterFunction)>(behind("__cudaRegisterFunction"));
  recorder().names.register_function(host, name);
  if (forward != nullptr) {
    forward(handle, host, device, name, thread_limit, tid, bid, block, grid, warp_size);
  }
}
WARPMIND_FORWARD(__cudaGetKernel, (cudaKernel_t * kernel, const void* host), (kernel, host), ,
                 recorder().names.register_handle(*kernel, host))

WARPMIND_FORWARD_LAUNCH(cudaLaunchKernel, _ptsz,
                        (const void* function, dim3 grid, dim3 block, void** arguments,
                         size_t shared, cudaStream_t stream),
                        (function, grid, block, arguments, shared, stream), function,
                        note_launch({function, grid, block, arguments, shared, stream}))
WARPMIND_FORWARD_LAUNCH(__cudaLaunchKernel, _ptsz,
                        (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                         size_t shared, cudaStream_t stream),
                        (kernel, grid, block, arguments, shared, stream), kernel,
                        note_launch({kernel, grid, block, arguments, shared, stream}))
WARPMIND_FORWARD_LAUNCH(cudaLaunchKernelExC, _ptsz,
                        (const cudaLaunchConfig_t* config, const void* function, void** arguments),
                        (config, function, arguments), function,
                        note_extended(config, function, arguments))
WARPMIND_FORWARD_LAUNCH(cudaLaunchCooperativeKernel, _ptsz,
                        (const void* function, dim3 grid, dim3 block, void** arguments,
                         size_t shared, cudaStream_t stream),
                        (function, grid, block, arguments, shared, stream), function,
                        note_launch({function, grid, block, arguments, shared, stream, true}))
WARPMIND_FORWARD_LAUNCH(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream),
                        (graph, stream), graph, note_other("cudaGraphLaunch"))

WARPMIND_FORWARD(cudaMalloc, (void** out, size_t bytes), (out, bytes), ,
                 note_allocation(*out, bytes, "device"))
WARPMIND_FORWARD_BOTH(cudaMallocAsync, _ptsz, (void** out, size_t bytes, cudaStream_t stream),
                      (out, bytes, stream), , note_allocation(*out, bytes, "device"))
WARPMIND_FORWARD_BOTH(cudaMallocFromPoolAsync, _ptsz,
                      (void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                      (out, bytes, pool, stream), , note_allocation(*out, bytes, "device"))
WARPMIND_FORWARD(cudaMallocManaged, (void** out, size_t bytes, unsigned flags), (out, bytes, flags),
                 , note_allocation(*out, bytes, "managed"))
WARPMIND_FORWARD(cudaMallocHost, (void** out, size_t bytes), (out, bytes), ,
                 note_allocation(*out, bytes, "pinned"))
WARPMIND_FORWARD(cudaHostAlloc, (void** out, size_t bytes, unsigned flags), (out, bytes, flags), ,
                 note_allocation(*out, bytes, "pinned"))
WARPMIND_FORWARD(cudaMallocPitch, (void** out, size_t* pitch, size_t width, size_t height),
                 (out, pitch, width, height), , note_allocation(*out, *pitch* height, "device"))
WARPMIND_FORWARD(cudaMalloc3D, (cudaPitchedPtr * out, cudaExtent extent), (out, extent), ,
                 note_allocation(out->ptr, out->pitch* extent.height* extent.depth, "device"))
WARPMIND_FORWARD(cudaFree, (void* memory), (memory), note_release(memory, nullptr, false), )
WARPMIND_FORWARD(cudaFreeHost, (void* memory), (memory), note_release(memory, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream), (memory, stream),
                      note_release(memory, stream, true), )
WARPMIND_FORWARD(cudaDeviceReset, (), (), note_other("cudaDeviceReset"), )

WARPMIND_FORWARD_BOTH(cudaMemcpy, _ptds,
                      (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                      (to, from, bytes, kind), note_copy(to, from, bytes, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemcpyAsync, _ptsz,
                      (void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream),
                      (to, from, bytes, kind, stream), note_copy(to, from, bytes, stream, true), )
WARPMIND_FORWARD_BOTH(cudaMemcpy2D, _ptds,
                      (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, cudaMemcpyKind kind),
                      (to, to_pitch, from, from_pitch, width, height, kind),
                      note_copy(to, from, width* height, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemcpy2DAsync, _ptsz,
                      (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                      (to, to_pitch, from, from_pitch, width, height, kind, stream),
                      note_copy(to, from, width* height, stream, true), )
WARPMIND_FORWARD(cudaMemcpyPeer,
                 (void* to, int to_device, const void* from, int from_device, size_t bytes),
                 (to, to_device, from, from_device, bytes),
                 note_copy(to, from, bytes, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* parameters), (parameters),
                      note_other("cudaMemcpy3D"), )
WARPMIND_FORWARD_BOTH(cudaMemcpy3DAsync, _ptsz,
                      (const cudaMemcpy3DParms* parameters, cudaStream_t stream),
                      (parameters, stream), note_other("cudaMemcpy3DAsync"), )
WARPMIND_FORWARD_BOTH(cudaMemcpyToSymbol, _ptds,
                      (const void* symbol, const void* from, size_t bytes, size_t offset,
                       cudaMemcpyKind kind),
                      (symbol, from, bytes, offset, kind),
                      note_copy(symbol, from, bytes, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemcpyFromSymbol, _ptds,
                      (void* to, const void* symbol, size_t bytes, size_t offset,
                       cudaMemcpyKind kind),
                      (to, symbol, bytes, offset, kind),
                      note_copy(to, symbol, bytes, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemset, _ptds, (void* to, int value, size_t bytes), (to, value, bytes),
                      note_fill(to, value, bytes, nullptr, false), )
WARPMIND_FORWARD_BOTH(cudaMemsetAsync, _ptsz,
                      (void* to, int value, size_t bytes, cudaStream_t stream),
                      (to, value, bytes, stream), note_fill(to, value, bytes, stream, true), )
WARPMIND_FORWARD_BOTH(cudaMemset2D, _ptds,
                      (void* to, size_t pitch, int value, size_t width, size_t height),
                      (to, pitch, value, width, height),
                      note_fill(to, value, width* height, nullptr, false), )

WARPMIND_FORWARD(cudaDeviceSynchronize, (), (), note_wait("device", nullptr), )
WARPMIND_FORWARD_BOTH(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream),
                      note_wait("stream", stream), )
WARPMIND_FORWARD(cudaEventSynchronize, (cudaEvent_t event), (event), note_wait("event", nullptr), )
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier,bugprone-macro-parentheses,readability-function-size)
