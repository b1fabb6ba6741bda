/*
expect = "applies"

[[argument]]
name = "u"
kind = "in"
dtype = "f32"
shape = ["d", "h", "w"]

[[argument]]
name = "v"
kind = "inout"
dtype = "f32"
shape = ["d", "h", "w"]

[[workload]]
name = "cube"
timed = true
sizes = { d = 19, h = 23, w = 37 }

[[workload]]
name = "least"
sizes = { d = 1, h = 2, w = 3 }

[[workload]]
name = "flat"
sizes = { d = 3, h = 17, w = 33 }

[cost]
bytes = "8 * d * h * w"
flops = "8 * d * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "heat"
grid = ["ceil_div(w, block_x)", "ceil_div(h, block_y)", "ceil_div(d, block_z)"]
block = [32, 4, 2]
arguments = ["u", "v", "i32:w", "i32:h", "i32:d"]
*/
// The border is not written.
extern "C" __global__ void heat(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (x < nx - 1 && y < ny - 1 && z < nz - 1) {
    const int at = (z * ny + y) * nx + x;
    const int plane = nx * ny;
    v[at] = u[at] + 0.1f * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - plane] + u[at + plane] - 6.0f * u[at]);
  }
}
