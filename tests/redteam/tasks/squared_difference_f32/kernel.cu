extern "C" __global__ void products(const float* a, const float* b, const float* c, float* p,
                                    float* q, int rows, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float first = 0.0f;
  float second = 0.0f;
  for (int j = 0; j < k; ++j) {
    float v = a[row * k + j];
    first += v * b[j];
    second += v * c[j];
  }
  p[row] = first;
  q[row] = second;
}

extern "C" __global__ void multiply_out(const float* p, const float* q, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  y[row] = p[row] * p[row] - 2.0f * p[row] * q[row] + q[row] * q[row];
}
