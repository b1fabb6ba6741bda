/*
expect = "refuses"
refusal = "side by side already"

[[argument]]
name = "shift"
kind = "in"
dtype = "i32"
shape = ["bags + 1"]
distributions = ["index_range"]
low = 0
high = 16

[[argument]]
name = "items"
kind = "in"
dtype = "i32"
shape = ["16 * bags + 16"]
distributions = ["index_range"]
low = 0
high = 127

[[argument]]
name = "table"
kind = "in"
dtype = "f32"
shape = ["size", 32]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["bags", 32]

[[workload]]
name = "w0"
timed = true
sizes = { bags = 9, size = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "136 * bags"
flops = "32 * bags"

[[kernel.launch]]
kernel = "embedding"
grid = ["ceil_div(bags * 32, block_x)"]
block = [64]
arguments = ["shift", "items", "table", "y", "i32:bags"]
*/
// Threads side by side read one row of the table side by side.
extern "C" __global__ void embedding(const int* shift, const int* items, const float* table,
                                     float* y, int bags) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= bags * 32) return;
  int bag = at / 32;
  int feature = at % 32;
  float sum = 0.0f;
  for (int i = 16 * bag + shift[bag]; i < 16 * bag + 16 + shift[bag + 1]; ++i) {
    sum += table[items[i] * 32 + feature];
  }
  y[at] = sum;
}
