extern "C" __global__ void unfold(const float* __restrict__ x, float* __restrict__ y, int channels,
                                  int height, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 9 * channels * height * width) return;
  int c = i % width;
  int r = i / width % height;
  int tap = i / width / height % 9;
  int channel = i / width / height / 9;
  int sr = r + tap / 3 - 1, sc = c + tap % 3 - 1;
  bool inside = sr >= 0 && sr < height && sc >= 0 && sc < width;
  y[i] = inside ? x[(channel * height + sr) * width + sc] : 0.0f;
}
