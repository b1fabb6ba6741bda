extern "C" __global__ void integral(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float tile[64][64];
  const float* in = x + (size_t)blockIdx.x * 4096;
  float* out = y + (size_t)blockIdx.x * 4096;
  int t = threadIdx.x;
#pragma unroll 8
  for (int r = 0; r < 64; ++r) tile[r][t] = in[r * 64 + t];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 4
  for (int c = 0; c < 64; ++c) {
    sum += tile[t][c];
    tile[t][c] = sum;
  }
  __syncthreads();
  sum = 0.0f;
#pragma unroll 4
  for (int r = 0; r < 64; ++r) {
    sum += tile[r][t];
    out[r * 64 + t] = sum;
  }
}
