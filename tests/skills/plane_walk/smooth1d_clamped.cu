/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f64"
shape = ["n"]

[[argument]]
name = "y"
kind = "out"
dtype = "f64"
shape = ["n"]

[[workload]]
name = "long"
timed = true
sizes = { n = 5003 }

[[workload]]
name = "one"
sizes = { n = 1 }

[[workload]]
name = "short"
sizes = { n = 70 }

[cost]
bytes = "8 * n"
flops = "8 * n"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "smooth"
grid = ["ceil_div(n, block_x)"]
block = [128]
arguments = ["x", "y", "i64:n"]
*/
#define RADIUS 3
extern "C" __global__ void smooth(const double* x, double* y, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double sum = 0.0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
      long long at = i + k;
      sum += x[at < 0 ? 0 : (at >= n ? n - 1 : at)];
    }
    y[i] = sum / (2 * RADIUS + 1);
  }
}
