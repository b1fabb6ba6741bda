/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["images", "channels", "size"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["images", "channels", "size"]

[[workload]]
name = "w0"
timed = true
sizes = { images = 3, channels = 37, size = 400 }

[[workload]]
name = "w1"
timed = false
sizes = { images = 2, channels = 1, size = 7 }

[[workload]]
name = "w2"
timed = false
sizes = { images = 5, channels = 11, size = 13 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "softmax"
grid = ["ceil_div(images * size, 128)"]
block = [128]
arguments = ["x", "y", "i32:images", "i32:channels", "i32:size"]
*/
// A thread a place of an image; channels lie `size` apart.
extern "C" __global__ void softmax(const float* x, float* y, int images, int channels, int size) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= images * size) return;
  const int image = at / size;
  const int place = at % size;
  const int base = image * channels * size + place;
  float largest = -INFINITY;
  for (int c = 0; c < channels; ++c) largest = fmaxf(largest, x[base + c * size]);
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) sum += expf(x[base + c * size] - largest);
  for (int c = 0; c < channels; ++c) {
    y[base + c * size] = expf(x[base + c * size] - largest) / sum;
  }
}
