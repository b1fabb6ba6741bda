/*
expect = "refuses"
refusal = "is written and read by the same launch"

[[argument]]
name = "u"
kind = "inout"
dtype = "f32"
shape = ["n"]

[[workload]]
name = "line"
timed = true
sizes = { n = 5000 }

[cost]
bytes = "8 * n"
flops = "8 * n"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "relax"
grid = ["1"]
block = [32]
arguments = ["u", "i32:n"]
*/
// Every second element: in place, from its neighbours.
extern "C" __global__ void relax(float* u, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (i + 1 < n) u[i] = 0.5f * (u[i - 1] + u[i + 1]);
}
