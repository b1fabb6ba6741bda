// Host functions that stay within what they may do. Their source alone is looked at.

//@ case launches_on_the_given_stream
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case returns_the_error_of_its_launch
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return static_cast<int>(cudaGetLastError());
}

//@ case clears_memory_on_the_stream
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaMemsetAsync(z, 0, 1024, stream);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case copies_on_the_stream
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaMemcpyAsync(z, x, 1024, cudaMemcpyDeviceToDevice, stream);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case scratch_from_the_pool_of_the_stream
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  float* scratch = nullptr;
  cudaMallocAsync(&scratch, 1024, stream);
  add<<<1, 256, 0, stream>>>(x, y, scratch, 256);
  add<<<1, 256, 0, stream>>>(scratch, y, z, 256);
  cudaFreeAsync(scratch, stream);
  return 0;
}

//@ case asks_for_more_shared_memory
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
  add<<<1, 256, 98304, stream>>>(x, y, z, 256);
  return 0;
}

//@ case asks_for_the_occupancy
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0);
  add<<<blocks, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case asks_for_the_number_of_multiprocessors
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  add<<<count, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case names_that_only_sound_bad
//@ tier b
//@ expect accepted
#include <algorithm>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  int forked = 1, ecosystem = 2, kill_switch = 0, killer = 3, executor = 4, ptraced = 5;
  add<<<std::max(forked, ecosystem), 256, 0, stream>>>(x, y, z, 256);
  return kill_switch * killer * executor * ptraced;
}

//@ case words_in_comments
//@ tier b
//@ expect accepted
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  // No std::thread, no fork(), no dlopen: cudaStreamCreate is not called here.
  /* system("nothing"); write(1, 0, 0); */
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case a_struct_with_a_constructor
//@ tier b
//@ expect accepted
struct Shape {
  explicit Shape(int n) : blocks((n + 255) / 256) {}
  int blocks;
};

__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  const Shape shape(256);
  add<<<shape.blocks, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case a_member_called_write
//@ tier b
//@ expect accepted
struct Sink {
  void write(int) {}
};

__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  Sink sink;
  sink.write(1);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
