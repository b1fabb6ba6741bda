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
grid = ["ceil_div(n, 64)", "ceil_div(m, 64)"]
block = [16, 16]
arguments = ["a", "b", "c", "i32:m", "i32:n", "i32:k"]
*/
#define SIDE 64
#define DEPTH 8
#define EACH 4

extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int n, int k) {
  __shared__ float left[DEPTH][SIDE];
  __shared__ float right[DEPTH][SIDE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int thread = ty * 16 + tx;
  float sums[EACH][EACH] = {0.0f};
  float down[EACH], across[EACH];
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = thread; i < SIDE * DEPTH; i += 256) {
      const int row = blockIdx.y * SIDE + i / DEPTH;
      const int term = first + i % DEPTH;
      left[i % DEPTH][i / DEPTH] = (row < m && term < k) ? a[row * k + term] : 0.0f;
    }
    for (int i = thread; i < SIDE * DEPTH; i += 256) {
      const int term = first + i / SIDE;
      const int column = blockIdx.x * SIDE + i % SIDE;
      right[i / SIDE][i % SIDE] = (term < k && column < n) ? b[term * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        down[i] = left[j][ty * EACH + i];
        across[i] = right[j][tx * EACH + i];
      }
#pragma unroll
      for (int y = 0; y < EACH; ++y) {
#pragma unroll
        for (int x = 0; x < EACH; ++x) sums[y][x] += down[y] * across[x];
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < EACH; ++y) {
    for (int x = 0; x < EACH; ++x) {
      const int row = blockIdx.y * SIDE + ty * EACH + y;
      const int column = blockIdx.x * SIDE + tx * EACH + x;
      if (row < m && column < n) c[row * n + column] = sums[y][x];
    }
  }
}
