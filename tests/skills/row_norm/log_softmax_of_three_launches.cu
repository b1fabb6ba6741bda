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

[[workload]]
name = "w0"
timed = true
sizes = { rows = 130, columns = 700 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 67 }

[[workload]]
name = "w3"
timed = false
sizes = { rows = 4, columns = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.scratch]]
name = "largest"
dtype = "f32"
elements = "rows"

[[kernel.scratch]]
name = "sums"
dtype = "f32"
elements = "rows"

[[kernel.launch]]
kernel = "find_largest"
grid = ["rows"]
block = [64]
arguments = ["x", "largest", "i32:rows", "i32:columns"]

[[kernel.launch]]
kernel = "add_up"
grid = ["rows"]
block = [64]
arguments = ["x", "largest", "sums", "i32:rows", "i32:columns"]

[[kernel.launch]]
kernel = "write_out"
grid = ["rows"]
block = [64]
arguments = ["x", "y", "largest", "sums", "i32:rows", "i32:columns"]
*/
extern "C" __global__ void find_largest(const float* x, float* largest, int rows, int columns) {
  __shared__ float room[64];
  const int row = blockIdx.x;
  if (row >= rows) return;
  float most = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, x[row * columns + c]);
  room[threadIdx.x] = most;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) room[threadIdx.x] = fmaxf(room[threadIdx.x], room[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) largest[row] = room[0];
}

extern "C" __global__ void add_up(const float* x, const float* largest, float* sums, int rows,
                                  int columns) {
  __shared__ float room[64];
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float most = largest[row];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(x[row * columns + c] - most);
  room[threadIdx.x] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[row] = room[0];
}

extern "C" __global__ void write_out(const float* x, float* y, const float* largest,
                                     const float* sums, int rows, int columns) {
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float away = largest[row] + logf(sums[row]);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    y[row * columns + c] = x[row * columns + c] - away;
  }
}
