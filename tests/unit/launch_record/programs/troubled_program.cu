// Ends with 0 whatever happens: `troubled_program refused|fault|race`.
#include <cstdio>
#include <cstring>

__global__ void rows(int* out) {
  if (threadIdx.x == 0) out[blockIdx.y % 32] = 1;
}
__global__ void beyond(int* out, int n) { out[n + threadIdx.x] = 1; }
__global__ void unordered(int* out) {
  __shared__ int slots[64];
  slots[threadIdx.x] = threadIdx.x;
  out[threadIdx.x % 32] = slots[63 - threadIdx.x];
}

int main(int argc, char** argv) {
  int* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(int));
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "refused") == 0) {
    rows<<<dim3(1, 70000), 32>>>(out);
    rows<<<dim3(1, 0), 32>>>(out);
    rows<<<1, 2048>>>(out);
    rows<<<1, 32>>>(out);
  }
  if (std::strcmp(what, "fault") == 0) {
    beyond<<<1, 32>>>(out, 1 << 20);
    cudaDeviceSynchronize();
    rows<<<1, 32>>>(out);
  }
  if (std::strcmp(what, "race") == 0) unordered<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  std::puts("done");
}
