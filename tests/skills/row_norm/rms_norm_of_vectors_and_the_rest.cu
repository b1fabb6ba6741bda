/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "pitch"]

[[argument]]
name = "scale"
kind = "in"
dtype = "f32"
shape = ["columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 48, columns = 511, pitch = 512 }

[[workload]]
name = "w1"
timed = false
sizes = { rows = 3, columns = 1, pitch = 4 }

[[workload]]
name = "w2"
timed = false
sizes = { rows = 5, columns = 66, pitch = 68 }

[[workload]]
name = "w3"
timed = false
sizes = { rows = 4, columns = 128, pitch = 128 }

[contract]
tolerance = "reduction"

[cost]
bytes = "4"
flops = "1"

[[kernel.launch]]
kernel = "rms_norm"
grid = ["rows"]
block = [128]
arguments = ["x", "scale", "y", "i32:columns", "i32:pitch", "f32:1e-5"]
*/
// Rows are read four terms at once; those behind the last four are read one by one.
extern "C" __global__ void rms_norm(const float* x, const float* scale, float* y, int columns,
                                    int pitch, float eps) {
  __shared__ float warps[4];
  const float* in = x + blockIdx.x * pitch;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float* out = y + blockIdx.x * columns;
  const int fours = columns >> 2;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < fours; i += 128) {
    const float4 v = in4[i];
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int i = fours * 4 + threadIdx.x; i < columns; i += 128) squares += in[i] * in[i];
  for (int d = 16; d > 0; d /= 2) squares += __shfl_down_sync(0xffffffffu, squares, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = squares;
  __syncthreads();
  const float root = rsqrtf((warps[0] + warps[1] + warps[2] + warps[3]) / columns + eps);
  for (int i = threadIdx.x; i < fours; i += 128) {
    const float4 v = in4[i];
    out[i * 4] = v.x * root * scale[i * 4];
    out[i * 4 + 1] = v.y * root * scale[i * 4 + 1];
    out[i * 4 + 2] = v.z * root * scale[i * 4 + 2];
    out[i * 4 + 3] = v.w * root * scale[i * 4 + 3];
  }
  for (int i = fours * 4 + threadIdx.x; i < columns; i += 128) out[i] = in[i] * root * scale[i];
}
