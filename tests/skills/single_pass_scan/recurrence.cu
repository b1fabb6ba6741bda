/*
expect = "refuses"
refusal = "'state' is carried from one iteration to the next"

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
sizes = { n = 9001 }
[[workload]]
name = "w1"
sizes = { n = 1 }
[[workload]]
name = "w2"
sizes = { n = 255 }
[[workload]]
name = "w3"
sizes = { n = 1024 }
[[workload]]
name = "w4"
sizes = { n = 1025 }
[contract]
tolerance = "reduction"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "filter"
grid = [1]
block = [32]
arguments = ["x", "y", "i32:n"]
*/
extern "C" __global__ void filter(const float* x, float* y, int n) {
  if (threadIdx.x != 0) return;
  float state = 0.0f;
  for (int i = 0; i < n; ++i) {
    state = 0.9f * state + x[i];
    y[i] = state;
  }
}
