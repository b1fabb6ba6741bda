/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "norms"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 203, columns = 130 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 1, columns = 3 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 17, columns = 64 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "l2_norm"
grid = ["ceil_div(rows, 8)"]
block = [32, 8]
arguments = ["x", "y", "norms", "i32:rows", "i32:columns"]
*/
// Eight warps a block, by y; the norms are kept, too.
extern "C" __global__ void l2_norm(const float* x, float* y, float* norms, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * columns;
  float* out = y + static_cast<size_t>(row) * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 32) sum += in[c] * in[c];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  const float norm = fmaxf(sqrtf(sum), 1e-12f);
  if (threadIdx.x == 0) norms[row] = norm;
  for (int c = threadIdx.x; c < columns; c += 32) out[c] = __fdividef(in[c], norm);
}
