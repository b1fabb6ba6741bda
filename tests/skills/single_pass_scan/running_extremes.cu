/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]
[[argument]]
name = "least"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]
[[argument]]
name = "most"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]
[[workload]]
name = "w0"
timed = true
sizes = { rows = 3, columns = 1031 }
[[workload]]
name = "w1"
sizes = { rows = 1, columns = 2 }
[[workload]]
name = "w2"
sizes = { rows = 4, columns = 512 }
[contract]
tolerance = "exact"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "extremes"
grid = ["rows"]
block = [64]
arguments = ["x", "least", "most", "i32:columns"]
*/
// One block a row, of which one thread works.
extern "C" __global__ void extremes(const float* x, float* least, float* most, int columns) {
  if (threadIdx.x == 0) {
    const int row = blockIdx.x;
    float low = 1000.0f, high = -1000.0f;
    for (int c = 0; c < columns; ++c) {
      const float value = x[row * columns + c];
      if (value < low) low = value;
      high = fmaxf(high, value);
      least[row * columns + c] = low;
      most[row * columns + c] = high;
    }
  }
}
