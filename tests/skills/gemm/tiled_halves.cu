/*
expect = "applies"

[[argument]]
name = "a"
kind = "in"
dtype = "f16"
shape = ["m", "k"]

[[argument]]
name = "b"
kind = "in"
dtype = "f16"
shape = ["k", "n"]

[[argument]]
name = "c"
kind = "out"
dtype = "f16"
shape = ["m", "n"]

[[workload]]
name = "aligned"
timed = true
sizes = { m = 136, n = 200, k = 264 }

[[workload]]
name = "odd"
sizes = { m = 67, n = 131, k = 97 }

[[workload]]
name = "single"
sizes = { m = 1, n = 1, k = 1 }

[contract]
tolerance = "reduction"

[cost]
bytes = "2 * (m * k + k * n + m * n)"
flops = "2 * m * n * k"

[[kernel.launch]]
kernel = "product"
grid = ["ceil_div(n, 16)", "ceil_div(m, 16)"]
block = [16, 16]
arguments = ["a", "b", "c", "i32:m", "i32:n", "i32:k"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void product(const half* __restrict__ a, const half* __restrict__ b,
                                   half* __restrict__ c, int m, int n, int k) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx;
  const int y = blockIdx.y * 16 + ty;
  float total = 0.f;
  for (int first = 0; first < k; first += 16) {
    if (y < m && first + tx < k) {
      left[ty][tx] = __half2float(a[y * k + first + tx]);
    } else {
      left[ty][tx] = 0.f;
    }
    if (first + ty < k && x < n) {
      right[ty][tx] = __half2float(b[(first + ty) * n + x]);
    } else {
      right[ty][tx] = 0.f;
    }
    __syncthreads();
    for (int j = 0; j < 16; j++) total += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  if (x < n && y < m) c[y * n + x] = __float2half(total);
}
