#include "tests/bench/validation/gpu_buffers.h"

namespace warpmind::validation {
namespace {

using profilers::cuda_check;

std::size_t bytes_of(const Buffer& buffer) {
  return static_cast<std::size_t>(buffer.elements) * size_in_bytes(buffer.dtype);
}

}  // namespace

Result<GpuBuffers> GpuBuffers::create(const Point& point) {
  GpuBuffers out;
  out.buffers_ = point.buffers;
  out.family_ = point.family;
  for (std::size_t i = 0; i < point.buffers.size(); ++i) {
    const Buffer& buffer = point.buffers[i];
    WARPMIND_TRY(auto memory, profilers::allocate_device(bytes_of(buffer), buffer.name));
    const std::string bytes = initial_bytes(buffer, i);
    WARPMIND_CHECK(
        cuda_check(cudaMemcpy(memory.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                   "filling " + buffer.name));
    out.memory_.push_back(std::move(memory));
  }
  return out;
}

bool GpuBuffers::fit(const Point& point) const {
  return point.family == family_ && point.buffers == buffers_;
}

std::vector<void*> GpuBuffers::addresses() const {
  std::vector<void*> out;
  for (const auto& memory : memory_) out.push_back(memory.get());
  return out;
}

Result<void> GpuBuffers::clear_outputs(cudaStream_t stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].output) continue;
    WARPMIND_CHECK(cuda_check(cudaMemsetAsync(memory_[i].get(), 0, bytes_of(buffers_[i]), stream),
                              "zeroing " + buffers_[i].name));
  }
  return cuda_check(cudaStreamSynchronize(stream), "zeroing the outputs");
}

Result<Checksum> GpuBuffers::checksum() const {
  Checksum total;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].output) continue;
    std::string bytes(bytes_of(buffers_[i]), '\0');
    WARPMIND_CHECK(
        cuda_check(cudaMemcpy(bytes.data(), memory_[i].get(), bytes.size(), cudaMemcpyDeviceToHost),
                   "reading " + buffers_[i].name));
    const Checksum one = checksum_of(bytes, buffers_[i].dtype);
    total.sum += one.sum;
    total.weighted += one.weighted;
    total.magnitude += one.magnitude;
  }
  return total;
}

}  // namespace warpmind::validation
