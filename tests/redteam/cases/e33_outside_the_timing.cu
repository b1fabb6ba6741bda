// Row 33: work is moved to where nobody times.

//@ case computes_when_it_is_loaded
//@ tier b
//@ expect cheating
//@ reason constructor
static int early = [] { return 1; }();
__attribute__((constructor)) static void load() { early = 2; }
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  add<<<1, 256, 0, stream>>>(x, y, z, 256);
  return 0;
}

//@ case makes_a_graph_once
//@ tier b
//@ expect cheating
//@ reason cudaGraph
static cudaGraphExec_t kept = nullptr;

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  if (kept == nullptr) cudaGraphInstantiate(&kept, graph, 0);
  cudaGraphLaunch(kept, stream);
  return 0;
}
