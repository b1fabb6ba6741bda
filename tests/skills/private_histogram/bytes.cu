/*
expect = "applies"

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
kind = "out"
dtype = "u32"
shape = [256]
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
kernel = "clear_counts"
grid = [1]
block = [256]
arguments = ["counts"]
[[kernel.launch]]
kernel = "count"
grid = ["ceil_div(n, block_x)"]
block = [128]
arguments = ["x", "counts", "i32:n"]
*/
extern "C" __global__ void clear_counts(unsigned* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count(const unsigned char* x, unsigned* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}
