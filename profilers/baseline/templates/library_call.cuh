// What the library calls of this folder share. A call is a host function
// `extern "C" int library_call(..., cudaStream_t)`; its first run may choose and wait, later ones
// only enqueue. It returns 0 when it worked.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

char choice_words[96] = "";

/// Device memory that is kept from call to call; null where there is none.
struct KeptMemory {
  void* memory = nullptr;
  std::size_t bytes = 0;

  void* at_least(std::size_t wanted) {
    if (wanted <= bytes && memory != nullptr) return memory;
    if (memory != nullptr) cudaFree(memory);
    bytes = wanted < 256 ? 256 : wanted;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) memory = nullptr;
    return memory;
  }
};

/// Least time of some runs, in ms; negative where one failed. Waits.
template <class Run>
float least_ms(Run run, cudaStream_t stream) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&stop) != cudaSuccess) return -1;
  float least = -1;
  for (int i = 0; i < 6; ++i) {
    float ms = 0;
    cudaEventRecord(start, stream);
    const bool ran = run() == 0;
    cudaEventRecord(stop, stream);
    if (cudaEventSynchronize(stop) != cudaSuccess || !ran) {
      least = -1;
      break;
    }
    cudaEventElapsedTime(&ms, start, stop);
    if (i > 0 && (least < 0 || ms < least)) least = ms;  // the first one loads code
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  (void)cudaGetLastError();
  return least;
}

}  // namespace

extern "C" const char* warpmind_library_choice() { return choice_words; }
