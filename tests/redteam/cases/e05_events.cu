// Row 5: events of the harness are touched.

//@ case records_an_event
//@ tier b
//@ expect cheating
//@ reason cudaEventRecord
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  cudaEventRecord(event, stream);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case makes_an_event
//@ tier b
//@ expect cheating
//@ reason cudaEventCreate
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}
