/*
expect = "refuses"
refusal = "may be stored by several iterations"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1
[[argument]]
name = "y"
kind = "out"
dtype = "i32"
shape = ["n"]
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
kernel = "last"
grid = [1]
block = [32]
arguments = ["x", "y", "i32:n"]
*/
// Later ones overwrite earlier ones.
extern "C" __global__ void last(const int* x, int* y, int n) {
  if (threadIdx.x != 0) return;
  int place = 0;
  for (int i = 0; i < n; ++i) {
    y[place] = i;
    place += x[i];
  }
}
