extern "C" __global__ void escape(const float* __restrict__ re, const float* __restrict__ im,
                                  int* __restrict__ steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float cr = 2.0f * re[i], ci = 2.0f * im[i], zr = 0.0f, zi = 0.0f;
  int k = 0;
  while (k < 1000 && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++k;
  }
  steps[i] = k;
}
