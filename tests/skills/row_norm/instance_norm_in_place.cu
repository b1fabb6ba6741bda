/*
expect = "applies"

[[argument]]
name = "x"
kind = "inout"
dtype = "f32"
shape = ["n", "channels", "height", "width"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f32"
shape = ["channels"]

[[argument]]
name = "shift"
kind = "in"
dtype = "f32"
shape = ["channels"]

[[workload]]
name = "w0"
timed = true
sizes = { n = 6, channels = 7, height = 8, width = 32 }

[[workload]]
name = "w1"
timed = false
sizes = { n = 2, channels = 2, height = 3, width = 13 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "instance_norm"
grid = ["n", "channels"]
block = [64]
arguments = ["x", "scale", "shift", "i32:channels", "i32:height", "i32:width"]
*/
// A block an image and channel, with two loops; where one stands, the other is written.
extern "C" __global__ void instance_norm(float* x, const float* scale, const float* shift,
                                         int channels, int height, int width) {
  __shared__ float sums[64];
  __shared__ float squares[64];
  const int c = blockIdx.y;
  const int base = (blockIdx.x * channels + c) * height * width;
  float sum = 0.0f;
  float square = 0.0f;
  for (int h = 0; h < height; ++h) {
    for (int w = threadIdx.x; w < width; w += 64) {
      const float value = x[base + h * width + w];
      sum += value;
      square += value * value;
    }
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      squares[threadIdx.x] += squares[threadIdx.x + step];
    }
    __syncthreads();
  }
  const float mean = sums[0] / (height * width);
  float variance = squares[0] / (height * width) - mean * mean;
  if (variance < 0.0f) variance = 0.0f;
  const float inverse = 1.0f / sqrtf(variance + 1e-5f);
  for (int h = 0; h < height; ++h) {
    for (int w = threadIdx.x; w < width; w += 64) {
      const int at = base + h * width + w;
      x[at] = (x[at] - mean) * inverse * scale[c] + shift[c];
    }
  }
}
