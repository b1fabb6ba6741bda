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
name = "sorted"
kind = "out"
dtype = "u32"
shape = ["n"]
[[workload]]
name = "w0"
timed = true
sizes = { n = 9001 }
[[workload]]
name = "w1"
sizes = { n = 4096 }
[[workload]]
name = "w2"
sizes = { n = 1 }
[[workload]]
name = "w3"
sizes = { n = 31 }
[[workload]]
name = "w4"
sizes = { n = 2049 }
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
[[kernel.launch]]
kernel = "count_digits"
grid = ["ceil_div(n, block_x)"]
block = [64]
arguments = ["keys", "counts", "i32:n"]
[[kernel.launch]]
kernel = "pass"
grid = [1]
block = [32]
arguments = ["keys", "counts", "sorted", "i32:n"]
*/
extern "C" __global__ void count_digits(const unsigned* keys, unsigned* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i];
  unsigned digit = (key >> 4) & 15;
  atomicAdd(&counts[digit], 1);
}
extern "C" __global__ void pass(const unsigned* keys, const unsigned* counts, unsigned* sorted,
                                int n) {
  __shared__ unsigned starts[16];
  if (threadIdx.x == 0) {
    unsigned start = 0;
    for (int d = 0; d < 16; ++d) {
      starts[d] = start;
      start += counts[d];
    }
    for (int i = 0; i < n; ++i) {
      unsigned digit = (keys[i] >> 4) & 15;
      sorted[starts[digit]++] = keys[i];
    }
  }
}
