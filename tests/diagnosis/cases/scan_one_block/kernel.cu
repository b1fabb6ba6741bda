extern "C" __global__ void scan(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int carry = 0;
  for (int base = 0; base < n; base += 1024) {
    int i = base + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      int o = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += o;
    }
    if (lane == 31) part[warp] = v;
    __syncthreads();
    int before = 0;
    int all = 0;
    for (int w = 0; w < 32; ++w) {
      int p = part[w];
      if (w < warp) before += p;
      all += p;
    }
    if (i < n) y[i] = carry + before + v;
    carry += all;
    __syncthreads();
  }
}
