/*
expect = "refuses"
refusal = "asks for the exact sum"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "y"
kind = "in"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "result"
kind = "out"
dtype = "f32"
shape = [1]

[[workload]]
name = "w0"
timed = true
sizes = { n = 5003 }

[contract]
tolerance = "exact"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "dot"
grid = ["1"]
block = [128]
arguments = ["x", "y", "result", "i32:n"]
*/
extern "C" __global__ void dot(const float* x, const float* y, float* result, int n) {
  __shared__ float sums[128];
  const unsigned t = threadIdx.x;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum = fmaf(x[i], y[i], sum);
  }
  sums[t] = sum;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) *result = sqrtf(fabsf(sums[0]));
}
