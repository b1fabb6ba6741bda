/*
expect = "refuses"
refusal = "its element is float"

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
sizes = { m = 64, n = 64, k = 64 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4 * (m * k + k * n + m * n)"
flops = "2 * m * n * k"

[[kernel.launch]]
kernel = "product"
grid = ["ceil_div(n, block_x)", "ceil_div(m, block_y)"]
block = [16, 16]
arguments = ["a", "b", "c", "i32:m", "i32:n", "i32:k"]
*/
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}
