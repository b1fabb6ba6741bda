/*
expect = "applies"

[[argument]]
name = "u"
kind = "in"
dtype = "f32"
shape = ["h", "w"]

[[argument]]
name = "v"
kind = "out"
dtype = "f32"
shape = ["h", "w"]

[[workload]]
name = "plane"
timed = true
sizes = { h = 67, w = 131 }

[[workload]]
name = "thin"
sizes = { h = 3, w = 1 }

[[workload]]
name = "small"
sizes = { h = 9, w = 40 }

[cost]
bytes = "8 * h * w"
flops = "8 * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "jacobi"
grid = ["ceil_div(h, block_x)", "ceil_div(w, block_y)"]
block = [16, 16]
arguments = ["u", "v", "i32:h", "i32:w"]
*/
extern "C" __global__ void jacobi(const float* u, float* v, int h, int w) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= h || column >= w) return;
  int i = row * w + column;
  if (row == 0 || row == h - 1 || column == 0 || column == w - 1) {
    v[i] = u[i];
  } else {
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]);
  }
}
