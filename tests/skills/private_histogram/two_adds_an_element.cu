/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1000000
[[argument]]
name = "counts"
kind = "inout"
dtype = "i32"
shape = [512]
distributions = ["index_range"]
low = 0
high = 9
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
kernel = "count"
grid = ["ceil_div(n, block_x)"]
block = [64]
arguments = ["x", "counts", "i32:n", "i32:4"]
*/
// A parameter named as a member of the problem, and a function of such a name.
__device__ int digit(int value, int shift) { return (value >> shift) & 255; }
extern "C" __global__ void count(const int* x, int* counts, int count, int pack) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    int value = x[i];
    atomicAdd(&counts[digit(value, 0)], 1);
    if (value > 7) atomicAdd(&counts[256 + digit(value, pack)], value & 3);
  }
}
