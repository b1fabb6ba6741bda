/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f64"
shape = ["rows", "columns"]

[[argument]]
name = "out"
kind = "out"
dtype = "f64"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 2, columns = 4500 }

[[workload]]
name = "w1"
sizes = { rows = 3, columns = 7 }

[[workload]]
name = "w2"
sizes = { rows = 1, columns = 1 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "sums"
grid = ["rows"]
block = [256]
arguments = ["x", "out", "i64:columns"]
*/
extern "C" __global__ void sums(const double* x, double* out, long long columns) {
  __shared__ double warps[8];
  const double* row = x + blockIdx.x * columns;
  double sum = 0;
  for (long long c = threadIdx.x; c < columns; c += 256) sum += row[c];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int w = 0; w < 8; ++w) total += warps[w];
    out[blockIdx.x] = total;
  }
}
