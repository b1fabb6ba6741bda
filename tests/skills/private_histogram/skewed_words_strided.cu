/*
expect = "applies"

[[argument]]
name = "keys"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = -3
high = 2
[[argument]]
name = "counts"
kind = "out"
dtype = "i32"
shape = ["bins"]
[[workload]]
name = "w0"
timed = true
sizes = { n = 6001, bins = 300 }
[[workload]]
name = "w1"
sizes = { n = 1, bins = 300 }
[[workload]]
name = "w2"
sizes = { n = 4100, bins = 3 }
[[workload]]
name = "w3"
sizes = { n = 777, bins = 1000 }
[cost]
bytes = "8 * n"
flops = "n"
[contract]
tolerance = "exact"
[[kernel.launch]]
kernel = "clear_all"
grid = ["ceil_div(bins, 64)"]
block = [64]
arguments = ["counts", "i32:bins"]
[[kernel.launch]]
kernel = "tally"
grid = [16]
block = [64]
arguments = ["keys", "counts", "i64:n", "i32:bins"]
*/
// Keys that are no bin are left out.
extern "C" __global__ void clear_all(int* counts, int bins) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < bins) counts[b] = 0;
}
extern "C" __global__ void tally(const int* __restrict__ keys, int* counts, long long n, int bins) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    const int key = __ldg(&keys[i]);
    if (key < 0 || key >= bins) continue;
    atomicAdd(counts + key, 1);
  }
}
