/*
expect = "applies"

[[argument]]
name = "pixels"
kind = "in"
dtype = "u8"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 255
[[argument]]
name = "bins"
kind = "inout"
dtype = "u32"
shape = [256]
distributions = ["index_range"]
low = 0
high = 3
[[workload]]
name = "w0"
timed = true
sizes = { n = 6007 }
[[workload]]
name = "w1"
sizes = { n = 17 }
[cost]
bytes = "n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.launch]]
kernel = "histogram"
grid = [4]
block = [64]
arguments = ["pixels", "bins", "i32:n"]
*/
// The loop counts with a variable that is declared above it.
extern "C" __global__ void histogram(const unsigned char* pixels, unsigned int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (; i < n; i += stride) atomicAdd(&bins[pixels[i]], 1u);
}
