extern "C" __global__ void clear(float* total) { total[0] = 0.0f; }

extern "C" __global__ void add_squares(const float* __restrict__ x, const float* __restrict__ y,
                                       float* __restrict__ total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float d = x[i] - y[i];
  atomicAdd(total, d * d);
}
