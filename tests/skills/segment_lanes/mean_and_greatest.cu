/*
expect = "applies"

[[argument]]
name = "shift"
kind = "in"
dtype = "i32"
shape = ["rows + 1"]
distributions = ["index_range"]
low = 0
high = 16

[[argument]]
name = "items"
kind = "in"
dtype = "i32"
shape = ["16 * rows + 16"]
distributions = ["index_range"]
low = 0
high = 127

[[argument]]
name = "table"
kind = "in"
dtype = "f32"
shape = ["size"]

[[argument]]
name = "mean"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[argument]]
name = "most"
kind = "out"
dtype = "f32"
shape = ["rows"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 301, size = 128 }

[[workload]]
name = "w1"
sizes = { rows = 3, size = 131 }

[[workload]]
name = "w2"
sizes = { rows = 64, size = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "136 * rows"
flops = "32 * rows"

[[kernel.launch]]
kernel = "bags"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["shift", "items", "table", "mean", "most", "i32:rows"]
*/
// Bags of positions: their mean and the greatest, by a while loop; empty bags stay at nought.
extern "C" __global__ void bags(const int* shift, const int* items, const float* table, float* mean,
                                float* most, int rows) {
  int bag = blockIdx.x * blockDim.x + threadIdx.x;
  if (bag >= rows) return;
  int at = bag * 16 + shift[bag];
  int end = bag * 16 + 16 + shift[bag + 1];
  float sum = 0.0f;
  float greatest = 0.0f;
  int count = 0;
  for (int i = at; i < end; ++i) {
    const float v = table[items[i]];
    sum += v;
    greatest = fmaxf(greatest, v);
    count++;
  }
  mean[bag] = count > 0 ? sum / count : 0.0f;
  most[bag] = greatest;
}
