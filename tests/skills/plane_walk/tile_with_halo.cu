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
kernel = "blur"
grid = ["ceil_div(w, 16)", "ceil_div(h, 16)"]
block = [16, 16]
arguments = ["u", "v", "i32:h", "i32:w"]
*/
#define SIDE 16
#define REACH 1
#define WIDE (SIDE + 2 * REACH)

extern "C" __global__ void blur(const float* u, float* v, int h, int w) {
  __shared__ float tile[WIDE][WIDE + 1];
  int column = blockIdx.x * SIDE + threadIdx.x;
  int row = blockIdx.y * SIDE + threadIdx.y;
  for (int i = threadIdx.y * SIDE + threadIdx.x; i < WIDE * WIDE; i += SIDE * SIDE) {
    int x = (int)(blockIdx.x * SIDE) + i % WIDE - REACH;
    int y = (int)(blockIdx.y * SIDE) + i / WIDE - REACH;
    tile[i / WIDE][i % WIDE] = (x >= 0 && x < w && y >= 0 && y < h) ? u[y * w + x] : 0.0f;
  }
  __syncthreads();
  if (row < h && column < w) {
    float sum = 0.0f;
    for (int dy = 0; dy <= 2 * REACH; ++dy) {
      for (int dx = 0; dx <= 2 * REACH; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    }
    v[row * w + column] = sum / 9.0f;
  }
}
