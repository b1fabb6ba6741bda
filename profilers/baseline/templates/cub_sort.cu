// CUB's radix sort of keys by their lowest `bits` bits.
#include <cub/device/device_radix_sort.cuh>

extern "C" int library_call(const ELEMENT* keys, ELEMENT* sorted, int n, int bits,
                            cudaStream_t stream) {
  return with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, sorted, n, 0, bits, stream);
  });
}
