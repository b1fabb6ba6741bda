// One thread an element. COALESCED 0 gives neighbouring threads neighbouring rows.
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
#if COALESCED
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
#else
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
