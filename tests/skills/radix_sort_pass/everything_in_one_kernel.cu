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
[[kernel.launch]]
kernel = "pass"
grid = [1]
block = [1]
arguments = ["keys", "sorted", "i32:n"]
*/
extern "C" __global__ void pass(const unsigned* keys, unsigned* sorted, int n) {
  unsigned counts[16] = {0};
  for (int i = 0; i < n; ++i) ++counts[(keys[i] >> 4) & 15];
  unsigned start = 0;
  for (int d = 0; d < 16; ++d) {
    const unsigned count = counts[d];
    counts[d] = start;
    start += count;
  }
  for (int i = 0; i < n; ++i) sorted[counts[(keys[i] >> 4) & 15]++] = keys[i];
}
