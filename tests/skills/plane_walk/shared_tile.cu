/*
expect = "refuses"
refusal = "it uses __shared__"

[[argument]]
name = "u"
kind = "in"
dtype = "f32"
shape = ["h", "w"]

[[argument]]
name = "v"
kind = "out"
dtype = "f32"
shape = ["h", "w"]

[[workload]]
name = "plane"
timed = true
sizes = { h = 64, w = 128 }

[cost]
bytes = "8 * h * w"
flops = "8 * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "tile"
grid = ["w / 32", "h"]
block = [32]
arguments = ["u", "v", "i32:w"]
*/
extern "C" __global__ void tile(const float* u, float* v, int w) {
  __shared__ float s[34];
  int x = blockIdx.x * 32 + threadIdx.x;
  s[threadIdx.x + 1] = u[blockIdx.y * w + x];
  if (threadIdx.x == 0) s[0] = s[33] = 0.0f;
  __syncthreads();
  v[blockIdx.y * w + x] = s[threadIdx.x] + s[threadIdx.x + 2];
}
