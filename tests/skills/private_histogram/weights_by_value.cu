/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[[argument]]
name = "w"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = -9
high = 9
[[argument]]
name = "sums"
kind = "out"
dtype = "i32"
shape = [100]
[[workload]]
name = "w0"
timed = true
sizes = { n = 5003 }
[[workload]]
name = "w1"
sizes = { n = 4096 }
[[workload]]
name = "w2"
sizes = { n = 1 }
[[workload]]
name = "w3"
sizes = { n = 15 }
[[workload]]
name = "w4"
sizes = { n = 16 }
[[workload]]
name = "w5"
sizes = { n = 33 }
[cost]
bytes = "8 * n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.launch]]
kernel = "clear_sums"
grid = [1]
block = [100]
arguments = ["sums"]
[[kernel.launch]]
kernel = "weigh"
grid = ["ceil_div(n, block_x)"]
block = [96]
arguments = ["x", "w", "sums", "i32:n"]
*/
#define BINS 100
__device__ int bin_of(float x) { return min(max((int)((x + 1.0f) * 0.5f * BINS), 0), BINS - 1); }
extern "C" __global__ void clear_sums(int* sums) { sums[threadIdx.x] = 0; }
extern "C" __global__ void weigh(const float* x, const int* w, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = bin_of(x[i]);
  atomicAdd(&sums[bin], w[i]);
}
