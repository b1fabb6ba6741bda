#include <cuda_bf16.h>

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                   __nv_bfloat16* y, int rows, int columns, float epsilon) {
  __shared__ float squares[128];
  int row = blockIdx.x;
  int thread = threadIdx.x;
  float sum = 0.0f;
  for (int c = thread; c < columns; c += 128) {
    float value = __bfloat162float(x[row * columns + c]);
    sum += value * value;
  }
  squares[thread] = sum;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (thread < step) {
      squares[thread] += squares[thread + step];
    }
    __syncthreads();
  }
  float scale = 1.0f / sqrtf(squares[0] / columns + epsilon);
  for (int c = thread; c < columns; c += 128) {
    y[row * columns + c] = __float2bfloat16(__bfloat162float(x[row * columns + c]) * scale *
                                            __bfloat162float(weight[c]));
  }
}
