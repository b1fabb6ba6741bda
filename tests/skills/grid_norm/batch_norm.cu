/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["images", "channels", "size"]

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

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["images", "channels", "size"]

[[argument]]
name = "means"
kind = "out"
dtype = "f32"
shape = ["channels"]

[[argument]]
name = "variances"
kind = "out"
dtype = "f32"
shape = ["channels"]

[[workload]]
name = "w0"
timed = true
sizes = { images = 6, channels = 3, size = 784 }

[[workload]]
name = "w1"
timed = false
sizes = { images = 2, channels = 2, size = 7 }

[[workload]]
name = "w2"
timed = false
sizes = { images = 3, channels = 1, size = 1001 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "batch_norm"
grid = ["channels"]
block = [128]
arguments = ["x", "scale", "shift", "y", "means", "variances", "i32:images", "i32:channels", "i32:size"]
*/
// A block a channel, over all images; the statistics are kept.
extern "C" __global__ void batch_norm(const float* x, const float* scale, const float* shift,
                                      float* y, float* means, float* variances, int images,
                                      int channels, int size) {
  __shared__ float sums[128];
  __shared__ float squares[128];
  const int c = blockIdx.x;
  float sum = 0.0f;
  float square = 0.0f;
  for (int n = 0; n < images; ++n) {
    const float* in = x + (n * channels + c) * size;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      sum += in[i];
      square += in[i] * in[i];
    }
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      squares[threadIdx.x] += squares[threadIdx.x + step];
    }
    __syncthreads();
  }
  const float mean = sums[0] / (images * size);
  const float variance = squares[0] / (images * size) - mean * mean;
  if (threadIdx.x == 0) {
    means[c] = mean;
    variances[c] = variance;
  }
  const float factor = rsqrtf(variance + 1e-5f) * scale[c];
  for (int n = 0; n < images; ++n) {
    const float* in = x + (n * channels + c) * size;
    float* out = y + (n * channels + c) * size;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      out[i] = (in[i] - mean) * factor + shift[c];
    }
  }
}
