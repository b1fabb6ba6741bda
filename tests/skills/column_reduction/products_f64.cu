/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f64"
shape = ["rows", "columns"]

[[argument]]
name = "out"
kind = "out"
dtype = "f64"
shape = ["columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 264, columns = 254 }

[[workload]]
name = "w1"
sizes = { rows = 2, columns = 3 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "squares"
grid = ["ceil_div(columns, block_x)"]
block = [32]
arguments = ["x", "out", "i64:rows", "i64:columns"]
*/
extern "C" __global__ void squares(const double* x, double* out, long long rows, long long columns) {
  long long column = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (column >= columns) return;
  double sum = 0.0;
  for (long long row = 0; row < rows; ++row) {
    double v = x[row * columns + column];
    sum += v * v;
  }
  out[column] = sqrt(sum);
}
