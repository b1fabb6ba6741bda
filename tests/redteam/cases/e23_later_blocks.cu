// Row 23: the last blocks are written later, from elsewhere.

//@ case a_second_stream_for_the_rest
//@ tier b
//@ expect cheating
//@ reason cudaStreamCreate
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaStream_t later;
  cudaStreamCreate(&later);
  add<<<1, 128, 0, stream>>>(x, y, z, 128);
  add<<<1, 128, 0, later>>>(x + 128, y + 128, z + 128, 128);
  return 0;
}

//@ case a_future_for_the_rest
//@ tier b
//@ expect cheating
//@ reason std::async
#include <future>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  static auto later = std::async(std::launch::async, [=] { add<<<1, 256>>>(x, y, z, 256); });
  return 0;
}
