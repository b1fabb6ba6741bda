extern "C" __global__ void refine(const float* __restrict__ x,
                                  const unsigned char* __restrict__ mask, float* __restrict__ y,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (mask[i] == 0) {
    float s = 0.5f;
    for (int k = 0; k < 256; ++k) s = fmaf(s, fmaf(-0.3f, s, v * 0.2f), 0.4f);
    v = s;
  }
  y[i] = v;
}
