extern "C" __global__ void sort_groups(const int* __restrict__ x, int* __restrict__ y) {
  __shared__ int key[64][32];
  const int* in = x + (size_t)blockIdx.x * 2048;
  for (int i = threadIdx.x; i < 2048; i += 64) (&key[0][0])[i] = in[i];
  __syncthreads();
  int* mine = key[threadIdx.x];
  for (int round = 0; round < 32; ++round) {
    for (int i = round & 1; i + 1 < 32; i += 2) {
      int a = mine[i], b = mine[i + 1];
      mine[i] = min(a, b);
      mine[i + 1] = max(a, b);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += 64) y[(size_t)blockIdx.x * 2048 + i] = (&key[0][0])[i];
}
