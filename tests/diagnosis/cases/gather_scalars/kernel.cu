extern "C" __global__ void gather(const float* __restrict__ x, const int* __restrict__ index,
                                  float* __restrict__ y, int n, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i] & mask];
}
