/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["samples", "inputs"]

[[argument]]
name = "g"
kind = "in"
dtype = "f32"
shape = ["samples", "outputs"]

[[argument]]
name = "dw"
kind = "inout"
dtype = "f32"
shape = ["inputs", "outputs"]

[[workload]]
name = "aligned"
timed = true
sizes = { samples = 152, inputs = 104, outputs = 72 }

[[workload]]
name = "odd"
sizes = { samples = 45, inputs = 37, outputs = 51 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4 * (samples * (inputs + outputs) + inputs * outputs)"
flops = "2 * samples * inputs * outputs"

[[kernel.launch]]
kernel = "gradient"
grid = ["ceil_div(outputs, block_x)", "ceil_div(inputs, block_y)"]
block = [16, 16]
arguments = ["x", "g", "dw", "i32:samples", "i32:inputs", "i32:outputs"]
*/

extern "C" __global__ void gradient(const float* x, const float* g, float* dw, int samples,
                                    int inputs, int outputs) {
  const int o = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= inputs || o >= outputs) return;
  float sum = 0.0f;
  for (int s = 0; s < samples; ++s) {
    sum += x[s * inputs + i] * g[s * outputs + o];
  }
  dw[i * outputs + o] += sum;
}
