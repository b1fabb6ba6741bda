#include "profilers/worker/cubin_plan.h"

#include "base/file.h"
#include "profilers/worker/argument_bytes.h"
#include "profilers/worker/cubin_library.h"

#include <deque>

namespace warpmind::profilers {
namespace {

/// Above this, a kernel must opt in to dynamic shared memory.
constexpr std::uint32_t kDefaultSharedBytes = 48U * 1024;
constexpr std::size_t kCubinLimitBytes = std::size_t{256} << 20U;
constexpr std::size_t kMostParameters = 1024;

class Cubin final : public LoadedBinary {
 public:
  explicit Cubin(CubinLibrary library) : library_(std::move(library)) {}

  [[nodiscard]] Result<const void*> kernel(const std::string& name) {
    const void* const kernel = library_.kernel(name);
    if (kernel != nullptr) return kernel;
    return fail(Errc::invalid_argument, "the cubin has no kernel named " + name +
                                            "; is it declared extern \"C\" __global__?");
  }

 private:
  CubinLibrary library_;
};

/// Sizes of the kernel's parameters, from the cubin.
std::vector<std::size_t> parameter_sizes(const void* kernel) {
  std::vector<std::size_t> sizes;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (sizes.size() < kMostParameters &&
         cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &bytes) == cudaSuccess) {
    sizes.push_back(bytes);
  }
  (void)cudaGetLastError();
  return sizes;
}

std::string shape(const LaunchCall& call) {
  auto extents = [](const std::array<std::uint32_t, 3>& e) {
    return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
  };
  return "launch of " + call.kernel + " (grid " + extents(call.grid) + ", block " +
         extents(call.block) + ", " + std::to_string(call.shared_bytes) +
         " bytes of dynamic shared memory)";
}

struct BoundLaunch {
  const void* kernel = nullptr;
  dim3 grid;
  dim3 block;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::deque<ArgumentBytes> storage;  ///< a deque: `pointers` point into it
  std::vector<void*> pointers;
  std::string where;
};

class CubinPlan final : public BoundPlan {
 public:
  explicit CubinPlan(std::deque<BoundLaunch> bound) : bound_(std::move(bound)) {
    launches_ = bound_.size();
  }

  [[nodiscard]] Result<void> launch(cudaStream_t stream) const override {
    for (const BoundLaunch& call : bound_) WARPMIND_CHECK(put(call, stream));
    return {};
  }

  [[nodiscard]] Result<void> launch_in_steps(cudaStream_t stream,
                                             const AfterLaunch& after) const override {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      WARPMIND_CHECK(put(bound_[i], stream));
      WARPMIND_CHECK(after(i));
    }
    return {};
  }

 private:
  static Result<void> put(const BoundLaunch& call, cudaStream_t stream) {
    auto* const arguments = const_cast<void**>(call.pointers.data());
    const cudaError_t code = call.cooperative
                                 ? cudaLaunchCooperativeKernel(call.kernel, call.grid, call.block,
                                                               arguments, call.shared_bytes, stream)
                                 : cudaLaunchKernel(call.kernel, call.grid, call.block, arguments,
                                                    call.shared_bytes, stream);
    if (code != cudaSuccess) return cuda_check(code, call.where);
    return {};
  }

  std::deque<BoundLaunch> bound_;
};

Result<void> bind_arguments(const LaunchCall& call, const Addresses& addresses,
                            BoundLaunch& bound) {
  const std::vector<std::size_t> sizes = parameter_sizes(bound.kernel);
  if (sizes.size() != call.arguments.size()) {
    return fail(Errc::invalid_argument, "kernel " + call.kernel + " takes " +
                                            std::to_string(sizes.size()) +
                                            " parameters, the plan gives " +
                                            std::to_string(call.arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    WARPMIND_TRY(ArgumentBytes argument, argument_bytes(call.arguments[i], addresses));
    if (argument.size != sizes[i]) {
      return fail(Errc::invalid_argument,
                  "parameter " + std::to_string(i) + " of kernel " + call.kernel + " has " +
                      std::to_string(sizes[i]) + " bytes, the plan gives " +
                      std::to_string(argument.size) + "; correct the argument's type");
    }
    bound.storage.push_back(argument);
  }
  for (ArgumentBytes& argument : bound.storage) bound.pointers.push_back(argument.bytes.data());
  return {};
}

/// All blocks of a cooperative launch run at once: the device has to hold them.
Result<void> check_cooperative(const BoundLaunch& bound) {
  int device = 0;
  int supported = 0;
  int multiprocessors = 0;
  int resident = 0;
  const int threads = static_cast<int>(bound.block.x * bound.block.y * bound.block.z);
  WARPMIND_CHECK(cuda_check(cudaGetDevice(&device), "asking for the device"));
  WARPMIND_CHECK(
      cuda_check(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device),
                 "asking for cooperative launches"));
  WARPMIND_CHECK(
      cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                 "counting multiprocessors"));
  WARPMIND_CHECK(cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                &resident, bound.kernel, threads, bound.shared_bytes),
                            "computing the occupancy of the " + bound.where));
  if (supported == 0) {
    return fail(Errc::invalid_argument,
                "the " + bound.where + " is cooperative, which this device does not support");
  }
  const std::int64_t room = std::int64_t{resident} * multiprocessors;
  const std::int64_t blocks = std::int64_t{bound.grid.x} * bound.grid.y * bound.grid.z;
  if (blocks <= room) return {};
  return fail(Errc::invalid_argument,
              "the cooperative " + bound.where + " has " + std::to_string(blocks) +
                  " blocks, and this device holds " + std::to_string(room) + " at once (" +
                  std::to_string(resident) + " on each of " + std::to_string(multiprocessors) +
                  " multiprocessors): launch fewer blocks that loop, or use fewer registers or "
                  "less shared memory");
}

}  // namespace

Result<std::unique_ptr<LoadedBinary>> load_cubin(const Program& program) {
  WARPMIND_TRY(const std::string image, read_file(program.binary, kCubinLimitBytes));
  WARPMIND_TRY(auto library, CubinLibrary::load(image, program.binary));
  return std::unique_ptr<LoadedBinary>(std::make_unique<Cubin>(std::move(library)));
}

Result<std::unique_ptr<BoundPlan>> bind_cubin(LoadedBinary& binary, const Program& program,
                                              const Addresses& addresses) {
  auto& cubin = dynamic_cast<Cubin&>(binary);
  std::deque<BoundLaunch> launches;
  for (const LaunchCall& call : program.launches) {
    BoundLaunch& bound = launches.emplace_back();
    bound.where = shape(call);
    WARPMIND_TRY(bound.kernel, cubin.kernel(call.kernel));
    bound.grid = dim3{call.grid[0], call.grid[1], call.grid[2]};
    bound.block = dim3{call.block[0], call.block[1], call.block[2]};
    bound.shared_bytes = call.shared_bytes;
    if (call.shared_bytes > kDefaultSharedBytes) {
      WARPMIND_CHECK(
          cuda_check(cudaFuncSetAttribute(bound.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(call.shared_bytes)),
                     "opting in to shared memory for the " + bound.where));
    }
    bound.cooperative = call.cooperative;
    if (call.cooperative) WARPMIND_CHECK(check_cooperative(bound));
    WARPMIND_CHECK(bind_arguments(call, addresses, bound));
  }
  return std::unique_ptr<BoundPlan>(std::make_unique<CubinPlan>(std::move(launches)));
}

}  // namespace warpmind::profilers
