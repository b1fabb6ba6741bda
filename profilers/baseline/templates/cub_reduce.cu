// CUB's sum or maximum (REDUCE_CALL) of all elements, or of each row.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

/// Where row `row` begins.
struct RowBegin {
  int columns;
  __host__ __device__ int operator()(int row) const { return row * columns; }
};

}  // namespace

#if WHOLE
extern "C" int library_call(const ELEMENT* x, ELEMENT* y, int n, cudaStream_t stream) {
  return with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::REDUCE_CALL(memory, bytes, x, y, n, stream);
  });
}
#else
extern "C" int library_call(const ELEMENT* x, ELEMENT* y, int rows, int columns,
                            cudaStream_t stream) {
  const thrust::transform_iterator<RowBegin, thrust::counting_iterator<int>> begins(
      thrust::counting_iterator<int>(0), RowBegin{columns});
  return with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::REDUCE_CALL(memory, bytes, x, y, rows, begins, begins + 1,
                                                   stream);
  });
}
#endif
