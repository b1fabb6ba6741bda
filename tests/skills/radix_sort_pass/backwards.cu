/*
expect = "refuses"
refusal = "in 'walk'"

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
kind = "out"
dtype = "u32"
shape = ["n"]
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
kernel = "walk"
grid = [1]
block = [1]
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
// From the last key to the first: not stable.
extern "C" __global__ void walk(const unsigned* keys, unsigned* starts, unsigned* sorted, int n) {
  for (int i = n - 1; i >= 0; --i) sorted[starts[keys[i] & 15u]++] = keys[i];
}
