// Row 11: several calls are done in the first one.

//@ case captures_a_graph
//@ tier b
//@ expect cheating
//@ reason cudaStreamBeginCapture
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case launches_a_graph
//@ tier b
//@ expect cheating
//@ reason cudaGraph
static cudaGraphExec_t kept;
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaGraphLaunch(kept, stream);
  return 0;
}
