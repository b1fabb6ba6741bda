/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]

[[argument]]
name = "count"
kind = "inout"
dtype = "i32"
shape = [1]

[[workload]]
name = "w0"
timed = true
sizes = { n = 9001 }

[[workload]]
name = "w1"
sizes = { n = 3 }

[[workload]]
name = "w2"
sizes = { n = 256 }

[contract]
tolerance = "exact"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "count"
grid = ["16"]
block = [128]
arguments = ["x", "count", "i32:n"]
*/
extern "C" __global__ void count(const int* x, int* count, int n) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > 0) ++mine;
  }
  __shared__ int total[4];
  for (int d = 16; d > 0; d >>= 1) mine += __shfl_xor_sync(0xffffffffu, mine, d);
  if ((threadIdx.x & 31) == 0) total[threadIdx.x >> 5] = mine;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, total[0] + total[1] + total[2] + total[3]);
}
