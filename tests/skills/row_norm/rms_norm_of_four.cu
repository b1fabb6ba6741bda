/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "4 * fours"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f32"
shape = ["4 * fours"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "4 * fours"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 50, fours = 300 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, fours = 1 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "rms_norm"
grid = ["rows"]
block = [128]
arguments = ["x", "scale", "y", "i32:4 * fours"]
*/
// A block a row, four elements a thread at a time.
extern "C" __global__ void rms_norm(const float* x, const float* scale, float* y, int columns) {
  __shared__ float warps[4];
  const float4* in = reinterpret_cast<const float4*>(x + blockIdx.x * columns);
  float4* out = reinterpret_cast<float4*>(y + blockIdx.x * columns);
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
    const float4 v = in[i];
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int d = 16; d > 0; d >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = warps[0] + warps[1] + warps[2] + warps[3];
  const float inverse = rsqrtf(squares / columns + 1e-6f);
  for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
    const float4 v = in[i];
    float4 r;
    r.x = v.x * inverse * scale[4 * i];
    r.y = v.y * inverse * scale[4 * i + 1];
    r.z = v.z * inverse * scale[4 * i + 2];
    r.w = v.w * inverse * scale[4 * i + 3];
    out[i] = r;
  }
}
