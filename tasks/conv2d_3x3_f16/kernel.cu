#include <cuda_fp16.h>

extern "C" __global__ void conv2d(const __half* x, const __half* filter, __half* y, int images,
                                  int channels, int outputs, int height, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= images * outputs * height * width) return;
  int column = i % width;
  int row = i / width % height;
  int output = i / (width * height) % outputs;
  int image = i / (width * height * outputs);
  float sum = 0.0f;
  for (int channel = 0; channel < channels; ++channel) {
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        int from_row = row + dy - 1;
        int from_column = column + dx - 1;
        if (from_row >= 0 && from_row < height && from_column >= 0 && from_column < width) {
          sum += __half2float(
                     x[((image * channels + channel) * height + from_row) * width + from_column]) *
                 __half2float(filter[((output * channels + channel) * 3 + dy) * 3 + dx]);
        }
      }
    }
  }
  y[i] = __float2half(sum);
}
