extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ float row[];
  __shared__ float part[4];
  const float* in = x + (size_t)blockIdx.x * 24576;
  int warp = threadIdx.x / 32;
  float top = -3.4e38f;
  for (int i = threadIdx.x; i < 24576; i += 64) {
    row[i] = in[i];
    top = fmaxf(top, row[i]);
  }
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  if (threadIdx.x % 32 == 0) part[warp] = top;
  __syncthreads();
  top = fmaxf(part[0], part[1]);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 24576; i += 64) {
    float e = __expf(row[i] - top);
    row[i] = e;
    sum += e;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[2 + warp] = sum;
  __syncthreads();
  float scale = 1.0f / (part[2] + part[3]);
  for (int i = threadIdx.x; i < 24576; i += 64) y[(size_t)blockIdx.x * 24576 + i] = row[i] * scale;
}
