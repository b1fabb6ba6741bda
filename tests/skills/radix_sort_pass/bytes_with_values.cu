/*
expect = "applies"

[[argument]]
name = "keys"
kind = "in"
dtype = "u32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1073741823
[[argument]]
name = "values"
kind = "in"
dtype = "f32"
shape = ["n"]
[[argument]]
name = "sorted"
kind = "out"
dtype = "u32"
shape = ["n"]
[[argument]]
name = "moved"
kind = "out"
dtype = "f32"
shape = ["n"]
[[workload]]
name = "w0"
timed = true
sizes = { n = 9001 }
[[workload]]
name = "w1"
sizes = { n = 257 }
[cost]
bytes = "8 * n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.scratch]]
name = "counts"
dtype = "u32"
elements = "256"
zeroed = true
[[kernel.scratch]]
name = "starts"
dtype = "u32"
elements = "256"
[[kernel.launch]]
kernel = "count_digits"
grid = ["ceil_div(n, block_x)"]
block = [256]
arguments = ["keys", "counts", "i32:n", "i32:8"]
[[kernel.launch]]
kernel = "scan_counts"
grid = [1]
block = [32]
arguments = ["counts", "starts"]
[[kernel.launch]]
kernel = "scatter_digits"
grid = [1]
block = [256]
arguments = ["keys", "values", "starts", "sorted", "moved", "i32:n", "i32:8"]
*/
extern "C" __global__ void count_digits(const unsigned* keys, unsigned* counts, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[(keys[i] >> shift) & 255u], 1u);
}
extern "C" __global__ void scan_counts(const unsigned* counts, unsigned* starts) {
  if (threadIdx.x != 0) return;
  unsigned start = 0;
  for (int d = 0; d < 256; ++d) {
    starts[d] = start;
    start += counts[d];
  }
}
extern "C" __global__ void scatter_digits(const unsigned* keys, const float* values,
                                          const unsigned* starts, unsigned* sorted, float* moved,
                                          int n, int shift) {
  const int own = threadIdx.x;
  unsigned at = starts[own];
  for (int i = 0; i < n; i++) {
    const unsigned key = keys[i];
    if (((key >> shift) & 255u) == own) {
      moved[at] = values[i];
      sorted[at++] = key;
    }
  }
}
