extern "C" __global__ void slice_sums(const float4* __restrict__ x, float4* __restrict__ part,
                                      int rows, int columns, int slice) {
  __shared__ float4 join[8][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int quads = columns / 4;
  int end = min(rows, (int)(blockIdx.y + 1) * slice);
  float4 s = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int r = blockIdx.y * slice + threadIdx.y; r < end; r += 8) {
    float4 v = x[(size_t)r * quads + c];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  join[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int k = 1; k < 8; ++k) {
    float4 v = join[k][threadIdx.x];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  part[(size_t)blockIdx.y * quads + c] = s;
}

extern "C" __global__ void join_slices(const float* __restrict__ part, float* __restrict__ y,
                                       int columns, int slices) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0.0f;
  for (int s = 0; s < slices; ++s) sum += part[(size_t)s * columns + c];
  y[c] = sum;
}
