extern "C" __global__ void invert(const unsigned char* __restrict__ x,
                                  unsigned char* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 255 - x[i];
}
