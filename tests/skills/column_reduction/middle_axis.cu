/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f16"
shape = ["a", "k", "b"]

[[argument]]
name = "least"
kind = "out"
dtype = "f32"
shape = ["a", "b"]

[[argument]]
name = "most"
kind = "out"
dtype = "f32"
shape = ["a", "b"]

[[workload]]
name = "w0"
timed = true
sizes = { a = 3, k = 130, b = 176 }

[[workload]]
name = "w1"
sizes = { a = 2, k = 3, b = 9 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "extremes"
grid = ["ceil_div(b, 32)", "a"]
block = [32]
arguments = ["x", "least", "most", "i32:k", "i32:b"]
*/
#include <cuda_fp16.h>
extern "C" __global__ void extremes(const __half* x, float* least, float* most, int k, int b) {
  const int inner = blockIdx.x * 32 + threadIdx.x;
  const int outer = blockIdx.y;
  if (inner < b) {
    float low = 1e30f, high = -1e30f;
    for (int i = 0; i < k; ++i) {
      const float v = __half2float(x[(outer * k + i) * b + inner]);
      low = fminf(low, v);
      high = fmaxf(high, v);
    }
    least[outer * b + inner] = low;
    most[outer * b + inner] = high;
  }
}
