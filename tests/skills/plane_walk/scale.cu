/*
expect = "refuses"
refusal = "no output reads more than one element"

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
sizes = { h = 67, w = 131 }

[[workload]]
name = "thin"
sizes = { h = 3, w = 1 }

[[workload]]
name = "small"
sizes = { h = 9, w = 40 }

[cost]
bytes = "8 * h * w"
flops = "8 * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "scale"
grid = ["ceil_div(h * w, block_x)"]
block = [128]
arguments = ["u", "v", "i32:h", "i32:w"]
*/
extern "C" __global__ void scale(const float* u, float* v, int h, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < h * w) v[i] = 2.0f * u[i];
}
