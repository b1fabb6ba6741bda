/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]

[[workload]]
name = "w0"
timed = true
sizes = { n = 20001 }

[[workload]]
name = "w1"
timed = false
sizes = { n = 1 }

[[workload]]
name = "w2"
timed = false
sizes = { n = 300 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "normalise"
grid = ["1"]
block = [256]
arguments = ["x", "y", "i32:n"]
*/
// One block for all elements.
extern "C" __global__ void normalise(const float* x, float* y, int n) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) sum += x[i] * x[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  const float norm = sqrtf(sums[0]);
  const float inverse = norm > 0.0f ? 1.0f / norm : 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) y[i] = x[i] * inverse;
}
