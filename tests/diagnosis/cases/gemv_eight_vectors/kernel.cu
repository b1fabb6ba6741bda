extern "C" __global__ void gemv(const float4* __restrict__ a, const float4* __restrict__ x,
                                float* __restrict__ y, int rows) {
  int row = blockIdx.x * 8 + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* v = x + (size_t)blockIdx.y * 2048;
  float sum = 0.0f;
#pragma unroll 8
  for (int i = lane; i < 2048; i += 32) {
    float4 p = a[(size_t)row * 2048 + i], q = v[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[(size_t)blockIdx.y * rows + row] = sum;
}
