/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = -3
high = 3
[[argument]]
name = "where"
kind = "out"
dtype = "i32"
shape = ["n"]
[[argument]]
name = "count"
kind = "out"
dtype = "i32"
shape = [1]
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
kernel = "positive"
grid = [1]
block = [1]
arguments = ["x", "where", "count", "i32:n"]
*/
// Indices of what is positive, then how many there are.
extern "C" __global__ void positive(const int* x, int* where, int* count, int n) {
  int found = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0) {
      where[found] = i;
      found++;
    }
  }
  count[0] = found;
  for (; found < n; ++found) where[found] = -1;
}
