/*
expect = "refuses"
refusal = "it calls atomicMax"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 255
[[argument]]
name = "most"
kind = "inout"
dtype = "i32"
shape = [256]
distributions = ["index_range"]
low = 0
high = 1
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
kernel = "keep"
grid = ["ceil_div(n, block_x)"]
block = [128]
arguments = ["x", "most", "i32:n"]
*/
extern "C" __global__ void keep(const int* x, int* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&most[x[i]], i);
}
