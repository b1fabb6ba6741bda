/*
expect = "refuses"
refusal = "a digit has no thread"

[[argument]]
name = "keys"
kind = "in"
dtype = "u32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1073741823
[[argument]]
name = "sorted"
kind = "inout"
dtype = "u32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1
[[workload]]
name = "w0"
timed = true
sizes = { n = 9001 }
[cost]
bytes = "8 * n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.scratch]]
name = "counts"
dtype = "u32"
elements = "16"
zeroed = true
[[kernel.scratch]]
name = "starts"
dtype = "u32"
elements = "16"
[[kernel.launch]]
kernel = "count_digits"
grid = ["ceil_div(n, block_x)"]
block = [256]
arguments = ["keys", "counts", "i32:n"]
[[kernel.launch]]
kernel = "scan_counts"
grid = [1]
block = [32]
arguments = ["counts", "starts"]
[[kernel.launch]]
kernel = "scatter_digits"
grid = [1]
block = [8]
arguments = ["keys", "starts", "sorted", "i32:n"]
*/
extern "C" __global__ void count_digits(const unsigned* keys, unsigned* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] & 15u], 1u);
}
extern "C" __global__ void scan_counts(const unsigned* counts, unsigned* starts) {
  if (threadIdx.x != 0) return;
  unsigned start = 0;
  for (int d = 0; d < 16; ++d) {
    starts[d] = start;
    start += counts[d];
  }
}
extern "C" __global__ void scatter_digits(const unsigned* keys, const unsigned* starts,
                                          unsigned* sorted, int n) {
  unsigned digit = threadIdx.x;
  unsigned at = starts[digit];
  for (int i = 0; i < n; ++i) {
    if ((keys[i] & 15u) == digit) sorted[at++] = keys[i];
  }
}
