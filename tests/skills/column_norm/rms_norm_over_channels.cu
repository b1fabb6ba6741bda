/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["images", "channels", "height", "width"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["images", "channels", "height", "width"]

[[workload]]
name = "w0"
timed = true
sizes = { images = 2, channels = 48, height = 20, width = 30 }

[[workload]]
name = "w1"
timed = false
sizes = { images = 3, channels = 5, height = 3, width = 7 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "rms_norm"
grid = ["images", "height", "width"]
block = [64]
shared_bytes = "256"
arguments = ["y", "x", "i64:images", "i64:channels", "i64:height", "i64:width", "f32:0.00001"]
*/
#include <cuda_fp16.h>

// A block a place of an image: what lies side by side is numbered by the last axis of the grid.
extern "C" __global__ void rms_norm(__half* y, const __half* x, long long images, long long channels,
                                    long long height, long long width, float eps) {
  extern __shared__ float sums[];
  const int b = blockIdx.x;
  const int h = blockIdx.y;
  const int w = blockIdx.z;
  if (b >= images || h >= height || w >= width) return;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < channels; c += blockDim.x) {
    const long long at = ((b * channels + c) * height + h) * width + w;
    const float value = __half2float(x[at]);
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[0] = sqrtf(sums[0] / channels + eps);
  __syncthreads();
  const float rms = sums[0];
  for (int c = threadIdx.x; c < channels; c += blockDim.x) {
    const long long at = ((b * channels + c) * height + h) * width + w;
    y[at] = __float2half(__half2float(x[at]) / rms);
  }
}
