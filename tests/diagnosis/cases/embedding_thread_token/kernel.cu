extern "C" __global__ void copy_rows(const float* __restrict__ table, const int* __restrict__ token,
                                     float* __restrict__ y, int tokens, int mask) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  const float* row = table + (size_t)(token[t] & mask) * 64;
  for (int c = 0; c < 64; ++c) y[(size_t)t * 64 + c] = row[c];
}
