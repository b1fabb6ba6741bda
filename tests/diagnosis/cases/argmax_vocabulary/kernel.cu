extern "C" __global__ void argmax(const float* __restrict__ logits, int* __restrict__ y,
                                  int columns) {
  __shared__ float value[8];
  __shared__ int place[8];
  const float* row = logits + (size_t)blockIdx.x * columns;
  float top = -3.4e38f;
  int at = 0;
  for (int i = threadIdx.x; i < columns; i += 256) {
    float v = row[i];
    if (v > top) {
      top = v;
      at = i;
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    float v = __shfl_xor_sync(~0u, top, d);
    int p = __shfl_xor_sync(~0u, at, d);
    if (v > top || (v == top && p < at)) {
      top = v;
      at = p;
    }
  }
  if (threadIdx.x % 32 == 0) {
    value[threadIdx.x / 32] = top;
    place[threadIdx.x / 32] = at;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) {
    if (value[w] > top || (value[w] == top && place[w] < at)) {
      top = value[w];
      at = place[w];
    }
  }
  y[blockIdx.x] = at;
}
