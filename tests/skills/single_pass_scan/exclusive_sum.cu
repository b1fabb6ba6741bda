/*
expect = "applies"

[[argument]]
name = "lengths"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 9
[[argument]]
name = "begin"
kind = "out"
dtype = "i32"
shape = ["n + 1"]
[[workload]]
name = "w0"
timed = true
sizes = { n = 9001 }
[[workload]]
name = "w1"
sizes = { n = 1 }
[[workload]]
name = "w2"
sizes = { n = 255 }
[[workload]]
name = "w3"
sizes = { n = 1024 }
[[workload]]
name = "w4"
sizes = { n = 1025 }
[contract]
tolerance = "exact"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "offsets"
grid = [1]
block = [32]
arguments = ["lengths", "begin", "i32:n"]
*/
// Offsets from lengths.
extern "C" __global__ void offsets(const int* lengths, int* begin, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
      begin[i] = sum;
      sum += lengths[i];
    }
    begin[n] = sum;
  }
}
