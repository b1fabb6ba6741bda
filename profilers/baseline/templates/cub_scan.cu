// CUB's prefix sum, SCAN_CALL = ExclusiveSum or InclusiveSum.
#include <cub/device/device_scan.cuh>

extern "C" int library_call(const ELEMENT* x, ELEMENT* y, int n, cudaStream_t stream) {
  return with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::SCAN_CALL(memory, bytes, x, y, n, stream);
  });
}
