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
grid = ["ceil_div(n, block_x)", "ceil_div(m, block_y)"]
block = [32, 8]
arguments = ["a", "b", "c", "i32:m", "i32:n", "i32:k"]
*/
#include <cuda_fp16.h>

extern "C" __global__ void product(const half* __restrict__ a, const half* __restrict__ b,
                                   half* __restrict__ c, int m, int n, int k) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < m) {
    float total = 0.f;
    for (int j = 0; j < k; j++) total += __half2float(a[y * k + j]) * __half2float(b[j * n + x]);
    c[y * n + x] = __float2half(total);
  }
}
