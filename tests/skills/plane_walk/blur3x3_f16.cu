/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["h", "w"]

[[argument]]
name = "k"
kind = "in"
dtype = "f32"
shape = ["9"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["h", "w"]

[[workload]]
name = "image"
timed = true
sizes = { h = 70, w = 66 }

[[workload]]
name = "pixel"
sizes = { h = 1, w = 1 }

[[workload]]
name = "rows"
sizes = { h = 40, w = 2 }

[cost]
bytes = "8 * h * w"
flops = "8 * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "blur"
grid = ["ceil_div(w, block_x)", "ceil_div(h, block_y)"]
block = [32, 8]
arguments = ["x", "k", "y", "i32:h", "i32:w"]
*/
#include <cuda_fp16.h>
__device__ float weighted(float weight, __half value) { return weight * __half2float(value); }
extern "C" __global__ void blur(const __half* x, const float* k, __half* y, int h, int w) {
  unsigned int column = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned int row = threadIdx.y + blockIdx.y * blockDim.y;
  if (column < w && row < h) {
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; ++dy) {
      const int yy = (int)row + dy;
      if (yy < 0 || yy >= h) continue;
      for (int dx = -1; dx <= 1; ++dx) {
        const int xx = (int)column + dx;
        if (xx < 0 || xx >= w) continue;
        sum += weighted(k[(dy + 1) * 3 + dx + 1], x[yy * w + xx]);
      }
    }
    y[row * w + column] = __float2half(sum);
  }
}
