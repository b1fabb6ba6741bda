extern "C" __global__ void scan_rows(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float part[1024];
  size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;
  float v = x[i];
  part[threadIdx.x] = v;
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    float o = threadIdx.x >= d ? part[threadIdx.x - d] : 0.0f;
    __syncthreads();
    v += o;
    part[threadIdx.x] = v;
    __syncthreads();
  }
  y[i] = v;
}
