extern "C" __global__ void decode(const unsigned char* __restrict__ code,
                                  const float* __restrict__ book, const float* __restrict__ query,
                                  float* __restrict__ y, int n) {
  __shared__ float row[128 * 32];
  __shared__ float q[32];
  for (int i = threadIdx.x; i < 128 * 32; i += 256) row[i] = book[i];
  if (threadIdx.x < 32) q[threadIdx.x] = query[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    int c = code[i];
    float sum = 0.0f;
#pragma unroll 8
    for (int j = 0; j < 32; ++j) sum += row[c * 32 + j] * q[j];
    y[i] = sum;
  }
}
