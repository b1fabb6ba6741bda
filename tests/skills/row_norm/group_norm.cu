/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["n", "own * groups", "height", "width"]

[[argument]]
name = "y"
kind = "out"
dtype = "f16"
shape = ["n", "own * groups", "height", "width"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f16"
shape = ["own * groups"]

[[argument]]
name = "shift"
kind = "in"
dtype = "f16"
shape = ["own * groups"]

[[workload]]
name = "w0"
timed = true
sizes = { n = 4, own = 3, groups = 5, height = 9, width = 20 }

[[workload]]
name = "w1"
timed = false
sizes = { n = 1, own = 1, groups = 2, height = 3, width = 7 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "group_norm"
grid = ["n * groups"]
block = [128]
shared_bytes = "8"
arguments = ["x", "y", "scale", "shift", "i32:own * groups", "i32:groups", "i32:height", "i32:width"]
*/
#include <cuda_fp16.h>

template <unsigned threads>
__device__ float block_sum(float value) {
  static __shared__ float warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  __syncthreads();
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < threads / 32 ? warps[lane] : 0.0f;
  if (warp == 0) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  }
  return value;
}

extern "C" __global__ void group_norm(const __half* x, __half* y, const __half* scale,
                                      const __half* shift, int channels, int groups, int height,
                                      int width) {
  extern __shared__ float stats[];
  const int n = blockIdx.x / groups;
  const int group = blockIdx.x % groups;
  const int own = channels / groups;
  const int size = own * height * width;
  const __half* in = x + n * channels * height * width + group * own * height * width;
  __half* out = y + n * channels * height * width + group * own * height * width;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    const int c = i / (height * width);
    const int place = i % (height * width);
    const float value = __half2float(in[c * height * width + place]);
    sum += value;
    squares += value * value;
  }
  sum = block_sum<128>(sum);
  squares = block_sum<128>(squares);
  if (threadIdx.x == 0) {
    const float mean = sum / size;
    stats[0] = mean;
    stats[1] = squares / size - mean * mean;
  }
  __syncthreads();
  const float mean = stats[0];
  const float inverse = rsqrtf(stats[1] + 1e-5f);
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    const int c = i / (height * width);
    const int place = i % (height * width);
    const int channel = group * own + c;
    const float value = __half2float(in[c * height * width + place]);
    const float normed = (value - mean) * inverse;
    out[c * height * width + place] =
        __float2half(normed * __half2float(scale[channel]) + __half2float(shift[channel]));
  }
}
