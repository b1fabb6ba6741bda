extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 3 * x[i] - y[i];
}
