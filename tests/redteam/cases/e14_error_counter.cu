// Row 14: the counter of errors is put back.

//@ case clears_the_error_of_the_launch
//@ task vector_add
//@ tier b
//@ expect wrong
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 4096, 0, stream>>>(x, y, z, 256);
  cudaGetLastError();
  return 0;
}

//@ case resets_the_device
//@ tier b
//@ expect cheating
//@ reason cudaDeviceReset
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  cudaDeviceReset();
  return 0;
}
