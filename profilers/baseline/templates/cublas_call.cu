// One call of cuBLAS on vectors or matrices of ELEMENT, float or double. CALL_NAME(x) makes its
// name: cublasS##x or cublasD##x. WHAT says which one.
#include <cublas_v2.h>

namespace {

cublasHandle_t handle(cudaStream_t stream) {
  static cublasHandle_t created = [] {
    cublasHandle_t one = nullptr;
    return cublasCreate(&one) == CUBLAS_STATUS_SUCCESS ? one : nullptr;
  }();
  if (created == nullptr || cublasSetStream(created, stream) != CUBLAS_STATUS_SUCCESS) {
    return nullptr;
  }
  return created;
}

[[maybe_unused]] __global__ void fill_with_ones(ELEMENT* memory, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) memory[i] = 1;
}

/// A vector of ones, made on the first call; null where there is no memory.
[[maybe_unused]] const ELEMENT* ones(std::int64_t count, cudaStream_t stream) {
  static KeptMemory kept;
  static std::int64_t filled = 0;
  if (count <= filled) return static_cast<const ELEMENT*>(kept.memory);
  auto* const memory = static_cast<ELEMENT*>(kept.at_least(count * sizeof(ELEMENT)));
  if (memory == nullptr) return nullptr;
  fill_with_ones<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(memory, count);
  filled = cudaGetLastError() == cudaSuccess ? count : 0;
  return filled == count ? memory : nullptr;
}

[[maybe_unused]] int ended(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? 0 : 2; }

[[maybe_unused]] const ELEMENT kOne = 1;
[[maybe_unused]] const ELEMENT kZero = 0;

}  // namespace

#if WHAT_IS_DOT
extern "C" int library_call(const ELEMENT* x, const ELEMENT* y, ELEMENT* result, int n,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  if (cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE) != CUBLAS_STATUS_SUCCESS) return 1;
  return ended(CALL_NAME(dot)(blas, n, x, 1, y, 1, result));
}
#elif WHAT_IS_TRANSPOSE
extern "C" int library_call(const ELEMENT* x, ELEMENT* y, int rows, int columns,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  return ended(CALL_NAME(geam)(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &kOne, x, columns,
                               &kZero, y, rows, y, rows));
}
#elif WHAT_IS_ADD
extern "C" int library_call(const ELEMENT* x, const ELEMENT* y, ELEMENT* z, int n,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  // As one long column it takes twelve times as long.
  const int height = n % 1024 == 0 ? 1024 : n;
  return ended(CALL_NAME(geam)(blas, CUBLAS_OP_N, CUBLAS_OP_N, height, n / height, &kOne, x, height,
                               &kOne, y, height, z, height));
}
#elif WHAT_IS_AXPY
extern "C" int library_call(const ELEMENT* x, ELEMENT* y, ELEMENT alpha, int n,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  return ended(CALL_NAME(axpy)(blas, n, &alpha, x, 1, y, 1));
}
#elif WHAT_IS_SCALE
extern "C" int library_call(ELEMENT* x, ELEMENT alpha, int n, cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  return ended(CALL_NAME(scal)(blas, n, &alpha, x, 1));
}
#elif WHAT_IS_MATRIX_VECTOR
extern "C" int library_call(const ELEMENT* a, const ELEMENT* x, ELEMENT* y, int rows, int columns,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  if (blas == nullptr) return 1;
  return ended(CALL_NAME(gemv)(blas, CUBLAS_OP_T, columns, rows, &kOne, a, columns, x, 1, &kZero, y,
                               1));
}
#elif WHAT_IS_ROW_SUM
extern "C" int library_call(const ELEMENT* a, ELEMENT* y, int rows, int columns,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  const ELEMENT* const all_ones = ones(columns, stream);
  if (blas == nullptr || all_ones == nullptr) return 1;
  return ended(CALL_NAME(gemv)(blas, CUBLAS_OP_T, columns, rows, &kOne, a, columns, all_ones, 1,
                               &kZero, y, 1));
}
#elif WHAT_IS_COLUMN_SUM
extern "C" int library_call(const ELEMENT* a, ELEMENT* y, int rows, int columns,
                            cudaStream_t stream) {
  cublasHandle_t const blas = handle(stream);
  const ELEMENT* const all_ones = ones(rows, stream);
  if (blas == nullptr || all_ones == nullptr) return 1;
  return ended(CALL_NAME(gemv)(blas, CUBLAS_OP_N, columns, rows, &kOne, a, columns, all_ones, 1,
                               &kZero, y, 1));
}
#endif
