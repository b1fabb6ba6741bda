/*
expect = "applies"

[[argument]]
name = "a"
kind = "in"
dtype = "f32"
shape = ["m", "k"]

[[argument]]
name = "b"
kind = "in"
dtype = "f32"
shape = ["k", "n"]

[[argument]]
name = "c"
kind = "out"
dtype = "f32"
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
bytes = "4 * (m * k + k * n + m * n)"
flops = "2 * m * n * k"

[[kernel.launch]]
kernel = "product"
grid = ["ceil_div(n, 16)", "ceil_div(m, 16)"]
block = [16, 16]
arguments = ["a", "b", "c", "i32:m", "i32:n", "i32:k"]
*/
#define SIDE 16

extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int n, int k) {
  __shared__ float left[SIDE][SIDE + 1], right[SIDE][SIDE + 1];
  const int row = blockIdx.y * SIDE + threadIdx.y;
  const int column = blockIdx.x * SIDE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (k + SIDE - 1) / SIDE; ++t) {
    const int at = t * SIDE;
    left[threadIdx.y][threadIdx.x] =
        (row < m && at + threadIdx.x < k) ? a[row * k + at + threadIdx.x] : 0.0f;
    right[threadIdx.y][threadIdx.x] =
        (at + threadIdx.y < k && column < n) ? b[(at + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int j = 0; j < SIDE; ++j) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
