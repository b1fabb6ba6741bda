extern "C" __global__ void walk(const int* __restrict__ next, const float* __restrict__ value,
                                float* __restrict__ y, int mask, int lists) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lists) return;
  int node = (i * 7919) & mask;
  float sum = 0.0f;
  for (int k = 0; k < 256; ++k) {
    sum += value[node];
    node = next[node] & mask;
  }
  y[i] = sum;
}
