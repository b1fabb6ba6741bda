/*
expect = "applies"

[[argument]]
name = "q"
kind = "in"
dtype = "f32"
shape = ["heads", "length", "width"]

[[argument]]
name = "k"
kind = "in"
dtype = "f32"
shape = ["heads", "length", "width"]

[[argument]]
name = "scores"
kind = "out"
dtype = "f32"
shape = ["heads", "length", "length"]

[[workload]]
name = "aligned"
timed = true
sizes = { heads = 2, length = 72, width = 96 }

[[workload]]
name = "odd"
sizes = { heads = 2, length = 33, width = 40 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4 * (heads * length * (2 * width + length))"
flops = "2 * heads * length * length * width"

[[kernel.launch]]
kernel = "scores_of"
grid = ["ceil_div(length, block_x)", "ceil_div(length, block_y)", "heads"]
block = [16, 16]
arguments = ["q", "k", "scores", "i32:length", "i32:width", "f32:0.125"]
*/

extern "C" __global__ void scores_of(const float* q, const float* k, float* scores, int length,
                                     int width, float scale) {
  const int to = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = blockIdx.y * blockDim.y + threadIdx.y;
  const int head = blockIdx.z;
  if (from >= length || to >= length) return;
  float dot = 0.0f;
  for (int i = 0; i < width; ++i) {
    dot += q[(head * length + from) * width + i] * k[(head * length + to) * width + i];
  }
  scores[(head * length + from) * length + to] = dot * scale;
}
