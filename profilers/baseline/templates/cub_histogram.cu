// CUB's counts of the values from 0 to `bins` - 1.
#include <cub/device/device_histogram.cuh>

extern "C" int library_call(const ELEMENT* x, COUNTER* counts, int bins, int n,
                            cudaStream_t stream) {
  return with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, x, counts, bins + 1, 0, bins, n,
                                               stream);
  });
}
