extern "C" __global__ void dot(const double* x, const double* y, double* result, int n) {
  __shared__ double sums[256];
  int thread = threadIdx.x;
  double sum = 0.0;
  for (int i = thread; i < n; i += 256) {
    sum += x[i] * y[i];
  }
  sums[thread] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (thread < step) {
      sums[thread] += sums[thread + step];
    }
    __syncthreads();
  }
  if (thread == 0) {
    result[0] = sums[0];
  }
}
