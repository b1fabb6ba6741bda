/*
expect = "refuses"
refusal = "do not fit into shared memory"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 999999
[[argument]]
name = "counts"
kind = "inout"
dtype = "u32"
shape = [1000000]
distributions = ["index_range"]
low = 0
high = 0
[[workload]]
name = "w0"
timed = true
sizes = { n = 5003 }
[cost]
bytes = "8 * n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.launch]]
kernel = "count"
grid = ["ceil_div(n, block_x)"]
block = [128]
arguments = ["x", "counts", "i32:n"]
*/
extern "C" __global__ void count(const int* x, unsigned* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}
