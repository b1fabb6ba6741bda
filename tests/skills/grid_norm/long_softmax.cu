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
sizes = { rows = 2, columns = 9003 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 1, columns = 2 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["rows"]
block = [128]
arguments = ["x", "y", "i32:columns"]
*/
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  __shared__ float room[128];
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 128) {
    if (in[c] > largest) largest = in[c];
  }
  room[threadIdx.x] = largest;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) room[threadIdx.x] = fmaxf(room[threadIdx.x], room[threadIdx.x + step]);
    __syncthreads();
  }
  largest = room[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) sum += expf(in[c] - largest);
  room[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) room[threadIdx.x] += room[threadIdx.x + step];
    __syncthreads();
  }
  const float total = room[0];
  for (int c = threadIdx.x; c < columns; c += 128) out[c] = expf(in[c] - largest) / total;
}
