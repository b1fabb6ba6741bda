// 3 by 3 convolution, stride 1, zero border, NCHW: TILE_X by TILE_Y pixels a block with their
// border in shared memory, OUTPUTS output channels a thread.
extern "C" __global__ void conv(const float* input, const float* weights, float* output,
                                int channels, int outputs, int height, int width) {
  __shared__ float tile[TILE_Y + 2][TILE_X + 2 + PAD];
  int first_column = blockIdx.x * TILE_X;
  int first_row = blockIdx.y * TILE_Y;
  int first = blockIdx.z * OUTPUTS;
  int thread = threadIdx.y * TILE_X + threadIdx.x;

  float sums[OUTPUTS] = {};
  for (int channel = 0; channel < channels; ++channel) {
    for (int i = thread; i < (TILE_X + 2) * (TILE_Y + 2); i += TILE_X * TILE_Y) {
      int y = first_row + i / (TILE_X + 2) - 1;
      int x = first_column + i % (TILE_X + 2) - 1;
      bool inside = y >= 0 && y < height && x >= 0 && x < width;
      tile[i / (TILE_X + 2)][i % (TILE_X + 2)] =
          inside ? input[(channel * height + y) * width + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      float value = tile[threadIdx.y + tap / 3][threadIdx.x + tap % 3];
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) {
        sums[i] += value * weights[((first + i) * channels + channel) * 9 + tap];
      }
    }
    __syncthreads();
  }
  int column = first_column + threadIdx.x;
  int row = first_row + threadIdx.y;
#pragma unroll
  for (int i = 0; i < OUTPUTS; ++i) {
    output[((first + i) * height + row) * width + column] = sums[i];
  }
}
