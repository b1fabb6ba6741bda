// 3 by 3 convolution, stride 1, zero border, NCHW: one thread an output pixel and OUTPUTS output
// channels.
constexpr int kUnroll = UNROLL;

extern "C" __global__ void conv(const float* input, const float* weights, float* output,
                                int channels, int outputs, int height, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int first = blockIdx.z * OUTPUTS;
  if (row >= height || column >= width) return;

  float sums[OUTPUTS] = {};
  for (int channel = 0; channel < channels; ++channel) {
#pragma unroll kUnroll
    for (int tap = 0; tap < 9; ++tap) {
      int y = row + tap / 3 - 1;
      int x = column + tap % 3 - 1;
      bool inside = y >= 0 && y < height && x >= 0 && x < width;
      float value = inside ? input[(channel * height + y) * width + x] : 0.0f;
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) {
        sums[i] += value * weights[((first + i) * channels + channel) * 9 + tap];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < OUTPUTS; ++i) {
    output[((first + i) * height + row) * width + column] = sums[i];
  }
}
