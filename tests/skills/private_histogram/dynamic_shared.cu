/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 63
[[argument]]
name = "counts"
kind = "inout"
dtype = "i32"
shape = [64]
distributions = ["index_range"]
low = 0
high = 5
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
grid = [8]
block = [64]
arguments = ["x", "counts", "i32:n"]
shared_bytes = "256"
*/
// Counts are added to what the output held.
extern "C" __global__ void count(const int* x, int* counts, int n) {
  extern __shared__ int bins[];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[x[i]], 1);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
