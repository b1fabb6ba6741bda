/*
expect = "refuses"
refusal = "reads its terms many times"

[[argument]]
name = "a"
kind = "in"
dtype = "f32"
shape = ["n", "n"]

[[argument]]
name = "b"
kind = "in"
dtype = "f32"
shape = ["n", "n"]

[[argument]]
name = "c"
kind = "out"
dtype = "f32"
shape = ["n", "n"]

[[workload]]
name = "w0"
timed = true
sizes = { n = 96 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "product"
grid = ["ceil_div(n, 32)", "n"]
block = [32]
arguments = ["a", "b", "c", "i32:n"]
*/
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y;
  if (column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}
