// The largest `most` elements of each row and where they stand: CUB sorts each row with its
// positions, of which the first are copied.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

struct RowBegin {
  int columns;
  __host__ __device__ int operator()(int row) const { return row * columns; }
};

__global__ void number_columns(int* positions, int columns, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) positions[i] = static_cast<int>(i % columns);
}

__global__ void take_first(const ELEMENT* keys, const int* at, ELEMENT* values, int* positions,
                           int columns, int most, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const std::int64_t from = std::int64_t{i / most} * columns + i % most;
  values[i] = keys[from];
  positions[i] = at[from];
}

unsigned blocks(std::int64_t count) { return static_cast<unsigned>((count + 255) / 256); }

}  // namespace

extern "C" int library_call(const ELEMENT* x, ELEMENT* values, int* positions, int rows,
                            int columns, int most, cudaStream_t stream) {
  static KeptMemory numbers;  // they do not change
  static KeptMemory sorted_keys;
  static KeptMemory sorted_numbers;
  static std::int64_t numbered_rows = 0;
  static int numbered_columns = 0;
  const std::int64_t count = std::int64_t{rows} * columns;
  auto* const before = static_cast<int*>(numbers.at_least(count * sizeof(int)));
  auto* const keys = static_cast<ELEMENT*>(sorted_keys.at_least(count * sizeof(ELEMENT)));
  auto* const at = static_cast<int*>(sorted_numbers.at_least(count * sizeof(int)));
  if (before == nullptr || keys == nullptr || at == nullptr) return 1;
  if (numbered_columns != columns || numbered_rows < rows) {
    number_columns<<<blocks(count), 256, 0, stream>>>(before, columns, count);
    numbered_columns = columns;
    numbered_rows = rows;
  }
  const thrust::transform_iterator<RowBegin, thrust::counting_iterator<int>> begins(
      thrust::counting_iterator<int>(0), RowBegin{columns});
  const int sorted = with_storage([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairsDescending(
        memory, bytes, x, keys, before, at, static_cast<int>(count), rows, begins, begins + 1, 0,
        static_cast<int>(8 * sizeof(ELEMENT)), stream);
  });
  if (sorted != 0) return sorted;
  const int taken = rows * most;
  take_first<<<blocks(taken), 256, 0, stream>>>(keys, at, values, positions, columns, most, taken);
  return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
