/*
expect = "refuses"
refusal = "nothing to reuse"

[[argument]]
name = "a"
kind = "in"
dtype = "f32"
shape = ["m", "k"]

[[argument]]
name = "b"
kind = "in"
dtype = "f32"
shape = ["k"]

[[argument]]
name = "c"
kind = "out"
dtype = "f32"
shape = ["m"]

[[workload]]
name = "aligned"
timed = true
sizes = { m = 128, k = 64 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4 * (m * k + k + m)"
flops = "2 * m * k"

[[kernel.launch]]
kernel = "times_vector"
grid = ["ceil_div(m, block_x)"]
block = [64]
arguments = ["a", "b", "c", "i32:m", "i32:k"]
*/

extern "C" __global__ void times_vector(const float* a, const float* b, float* c, int m, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i];
  c[row] = sum;
}
