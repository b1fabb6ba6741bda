/*
expect = "refuses"
refusal = "the count before an add is used"

[[argument]]
name = "x"
kind = "in"
dtype = "u8"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 255
[[argument]]
name = "counts"
kind = "inout"
dtype = "u32"
shape = [256]
distributions = ["index_range"]
low = 0
high = 0
[[argument]]
name = "places"
kind = "out"
dtype = "u32"
shape = ["n"]
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
kernel = "place"
grid = ["ceil_div(n, block_x)"]
block = [128]
arguments = ["x", "counts", "places", "i32:n"]
*/
extern "C" __global__ void place(const unsigned char* x, unsigned* counts, unsigned* places, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) places[i] = atomicAdd(&counts[x[i]], 1u);
}
