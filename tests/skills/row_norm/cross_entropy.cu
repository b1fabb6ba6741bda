/*
expect = "applies"

[[argument]]
name = "logits"
kind = "in"
dtype = "f32"
shape = ["rows", "classes"]

[[argument]]
name = "labels"
kind = "in"
dtype = "i32"
shape = ["rows"]

[[argument]]
name = "losses"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 700, classes = 101 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, classes = 10 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "cross_entropy"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["logits", "labels", "losses", "i32:rows", "i32:classes"]
*/
extern "C" __global__ void cross_entropy(const float* logits, const int* labels, float* losses,
                                         int rows, int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = -INFINITY;
  for (int c = 0; c < classes; ++c) largest = fmaxf(largest, logits[row * classes + c]);
  float sum = 0.0f;
  for (int c = 0; c < classes; ++c) sum += expf(logits[row * classes + c] - largest);
  const int label = labels[row];
  const float own = label >= 0 && label < classes ? logits[row * classes + label] : 0.0f;
  losses[row] = logf(sum) + largest - own;
}
