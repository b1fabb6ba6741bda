// What NVIDIA's own libraries reach: cuBLAS as host entries for the worker, and, with
// -DLIBRARY_RATES, a program that times them and the runtime's copies by plain events, in a loop of
// its own. limit_bench builds both when it runs.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace {

cublasHandle_t handle() {
  static cublasHandle_t created = [] {
    cublasHandle_t one = nullptr;
    return cublasCreate(&one) == CUBLAS_STATUS_SUCCESS ? one : nullptr;
  }();
  return created;
}

int gemm(const void* a, const void* b, void* c, int n, cudaDataType type, cudaStream_t stream) {
  const float one = 1;
  const float zero = 0;
  if (handle() == nullptr || cublasSetStream(handle(), stream) != CUBLAS_STATUS_SUCCESS) return 1;
  // No TF32: the contract of an f32 product does not allow it.
  const cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, type, n, b, type, n,
                      &zero, c, type, n, compute, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS
             ? 0
             : 2;
}

}  // namespace

extern "C" int gemm_f16(const void* a, const void* b, void* c, int n, cudaStream_t stream) {
  return gemm(a, b, c, n, CUDA_R_16F, stream);
}
extern "C" int gemm_f32(const void* a, const void* b, void* c, int n, cudaStream_t stream) {
  return gemm(a, b, c, n, CUDA_R_32F, stream);
}

#ifdef LIBRARY_RATES
namespace {

constexpr int kRepeats = 41;
constexpr double kWarmUpNs = 5e7;  // as in the worker's session: power and clocks settle

/// Median of single runs, in ns; 0 where a run failed.
template <class Work>
double time_ns(Work work) {
  cudaEvent_t start;
  cudaEvent_t stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  const auto run_once = [&] {
    float ms = 0;
    cudaEventRecord(start);
    if (work() != 0) return 0.0;
    cudaEventRecord(stop);
    if (cudaEventSynchronize(stop) != cudaSuccess) return 0.0;
    cudaEventElapsedTime(&ms, start, stop);
    return double(ms) * 1e6;
  };
  for (double spent = 0; spent < kWarmUpNs;) {
    const double ns = run_once();
    if (ns <= 0) return 0;
    spent += ns;
  }
  double times[kRepeats];
  for (double& one : times) {
    one = run_once();
    if (one <= 0) return 0;
  }
  for (int i = 0; i < kRepeats; ++i) {
    for (int j = i + 1; j < kRepeats; ++j) {
      if (times[j] < times[i]) {
        const double larger = times[i];
        times[i] = times[j];
        times[j] = larger;
      }
    }
  }
  return times[kRepeats / 2];
}

}  // namespace

// Arguments: bytes of the copy, n of each product. Prints NAME NANOSECONDS a line.
int main(int count, char** arguments) {
  if (count != 4) return 2;
  long long bytes = 0;
  int n16 = 0;
  int n32 = 0;
  std::sscanf(arguments[1], "%lld", &bytes);
  std::sscanf(arguments[2], "%d", &n16);
  std::sscanf(arguments[3], "%d", &n32);
  long long most = bytes;
  if (2LL * n16 * n16 > most) most = 2LL * n16 * n16;
  if (4LL * n32 * n32 > most) most = 4LL * n32 * n32;
  void* x = nullptr;
  void* y = nullptr;
  void* z = nullptr;
  // As the worker fills what no file fills: what a product multiplies decides its power, and with
  // it the clock.
  for (void** one : {&x, &y, &z}) {
    if (cudaMalloc(one, most) != cudaSuccess || cudaMemset(*one, 0xff, most) != cudaSuccess) return 4;
  }
  std::printf("copy %.1f\n", time_ns([&] {
                return int(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice, nullptr));
              }));
  std::printf("fill %.1f\n",
              time_ns([&] { return int(cudaMemsetAsync(y, 1, bytes, nullptr)); }));
  std::printf("gemm_f16 %.1f\n", time_ns([&] { return gemm_f16(x, y, z, n16, nullptr); }));
  std::printf("gemm_f32 %.1f\n", time_ns([&] { return gemm_f32(x, y, z, n32, nullptr); }));
  return 0;
}
#endif
