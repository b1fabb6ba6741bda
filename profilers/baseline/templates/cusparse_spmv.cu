// y = A x, A in CSR of float or double (ELEMENT, CUDA_ELEMENT) with 32-bit indices. STEP > 0: row
// pointers are kept as what they differ from rows of STEP entries, and made whole in each run.
#include <cusparse.h>

#include <map>
#include <tuple>

namespace {

cusparseHandle_t handle(cudaStream_t stream) {
  static cusparseHandle_t created = [] {
    cusparseHandle_t one = nullptr;
    return cusparseCreate(&one) == CUSPARSE_STATUS_SUCCESS ? one : nullptr;
  }();
  if (created == nullptr || cusparseSetStream(created, stream) != CUSPARSE_STATUS_SUCCESS) {
    return nullptr;
  }
  return created;
}

[[maybe_unused]] __global__ void make_row_pointers(const int* shift, int* pointers, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) pointers[i] = STEP * i + shift[i];
}

/// One product, for one set of addresses.
struct Product {
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t x = nullptr;
  cusparseDnVecDescr_t y = nullptr;
  std::size_t bytes = 0;
};

const ELEMENT kOne = 1;
const ELEMENT kZero = 0;
KeptMemory workspace;
KeptMemory whole_pointers;

}  // namespace

extern "C" int library_call(const int* pointers, const int* columns, const ELEMENT* values,
                            const ELEMENT* x, ELEMENT* y, int rows, int size, int entries,
                            cudaStream_t stream) {
  using Key = std::tuple<const void*, const void*, const void*, const void*, const void*, int, int>;
  static std::map<Key, Product> known;
  cusparseHandle_t const sparse = handle(stream);
  if (sparse == nullptr) return 1;
#if STEP > 0
  int* const whole = static_cast<int*>(whole_pointers.at_least((rows + 1) * sizeof(int)));
  if (whole == nullptr) return 1;
  make_row_pointers<<<(rows + 256) / 256, 256, 0, stream>>>(pointers, whole, rows + 1);
#else
  const int* const whole = pointers;
#endif
  const Key key{whole, columns, values, x, y, rows, size};
  auto found = known.find(key);
  if (found == known.end()) {
    Product one;
    if (cusparseCreateCsr(&one.matrix, rows, size, entries, const_cast<int*>(whole),
                          const_cast<int*>(columns), const_cast<ELEMENT*>(values),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_ELEMENT) != CUSPARSE_STATUS_SUCCESS ||
        cusparseCreateDnVec(&one.x, size, const_cast<ELEMENT*>(x), CUDA_ELEMENT) !=
            CUSPARSE_STATUS_SUCCESS ||
        cusparseCreateDnVec(&one.y, rows, y, CUDA_ELEMENT) != CUSPARSE_STATUS_SUCCESS ||
        cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, one.matrix, one.x,
                                &kZero, one.y, CUDA_ELEMENT, CUSPARSE_SPMV_CSR_ALG1,
                                &one.bytes) != CUSPARSE_STATUS_SUCCESS) {
      return 2;
    }
    found = known.emplace(key, one).first;
  }
  const Product& one = found->second;
  void* const memory = workspace.at_least(one.bytes);
  if (memory == nullptr) return 3;
  return cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, one.matrix, one.x, &kZero,
                      one.y, CUDA_ELEMENT, CUSPARSE_SPMV_CSR_ALG1,
                      memory) == CUSPARSE_STATUS_SUCCESS
             ? 0
             : 4;
}
