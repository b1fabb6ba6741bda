#include "tests/bench/validation/gpu_kernel.h"

#include "base/file.h"

namespace warpmind::validation {
namespace {

using profilers::cuda_check;

constexpr std::size_t kCubinLimitBytes = std::size_t{16} << 20U;
/// Above this, a kernel must opt in to dynamic shared memory.
constexpr std::uint32_t kDefaultSharedBytes = 48U * 1024;

}  // namespace

Result<GpuKernel> GpuKernel::load(const std::filesystem::path& cubins, const Point& point,
                                  const std::vector<void*>& addresses) {
  const auto file = cubins / (point.build + ".cubin");
  WARPMIND_TRY(const std::string image, read_file(file, kCubinLimitBytes));
  GpuKernel out;
  cudaLibrary_t library = nullptr;
  WARPMIND_CHECK(cuda_check(
      cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "loading " + file.string()));
  out.library_ = UniqueLibrary(library);
  cudaKernel_t kernel = nullptr;
  WARPMIND_CHECK(cuda_check(cudaLibraryGetKernel(&kernel, library, point.kernel.c_str()),
                            "looking for " + point.kernel + " in " + file.string()));
  out.kernel_ = static_cast<const void*>(kernel);
  WARPMIND_CHECK(out.bind(point, addresses));
  WARPMIND_CHECK(out.read_facts(point));
  return out;
}

Result<void> GpuKernel::bind(const Point& point, const std::vector<void*>& addresses) {
  grid_ = dim3{point.launch.grid[0], point.launch.grid[1], point.launch.grid[2]};
  block_ = dim3{point.launch.block[0], point.launch.block[1], point.launch.block[2]};
  shared_bytes_ = point.launch.shared_bytes;
  if (shared_bytes_ > kDefaultSharedBytes) {
    WARPMIND_CHECK(
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes_)),
                   "opting in to shared memory"));
  }
  for (const std::string& argument : point.plan.launches.front().arguments) {
    if (is_scalar_argument(argument)) {
      WARPMIND_TRY(std::string bytes, evaluate_scalar_bytes(argument, point.plan, point.sizes));
      storage_.push_back(std::move(bytes));
    } else {
      const auto index = static_cast<std::size_t>(buffer_of_argument(point, argument));
      const void* const address = addresses.at(index);
      storage_.emplace_back(reinterpret_cast<const char*>(&address), sizeof address);
    }
  }
  for (std::string& bytes : storage_) arguments_.push_back(bytes.data());
  return {};
}

Result<void> GpuKernel::read_facts(const Point& point) {
  cudaFuncAttributes attributes{};
  WARPMIND_CHECK(cuda_check(cudaFuncGetAttributes(&attributes, kernel_), "reading attributes"));
  facts_.registers = attributes.numRegs;
  facts_.static_shared_bytes = static_cast<int>(attributes.sharedSizeBytes);
  facts_.local_bytes = static_cast<int>(attributes.localSizeBytes);
  const auto threads = point.launch.block[0] * point.launch.block[1] * point.launch.block[2];
  return cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                        &facts_.blocks_per_sm, kernel_, static_cast<int>(threads), shared_bytes_),
                    "asking for the occupancy");
}

Result<void> GpuKernel::launch(cudaStream_t stream) const {
  return cuda_check(cudaLaunchKernel(kernel_, grid_, block_, const_cast<void**>(arguments_.data()),
                                     shared_bytes_, stream),
                    "launching");
}

}  // namespace warpmind::validation
