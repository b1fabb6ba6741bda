/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f64"
shape = ["n"]
[[argument]]
name = "mask"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 1
[[argument]]
name = "y"
kind = "out"
dtype = "f64"
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
tolerance = "reduction"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "discounted"
grid = [1]
block = [64]
arguments = ["x", "mask", "y", "i32:n"]
*/
extern "C" __global__ void discounted(const double* x, const int* mask, double* y, int n) {
  if (threadIdx.x > 0) return;
  double product = 1.0;
  for (int i = n - 1; i >= 0; --i) {
    if (mask[i] != 0) product *= x[i] > 0 ? 1.0 : -1.0;
    y[i] = product;
  }
}
