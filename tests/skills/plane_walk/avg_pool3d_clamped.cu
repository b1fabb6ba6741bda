/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["c", "d", "h", "w"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["c", "d", "h", "w"]

[[workload]]
name = "volumes"
timed = true
sizes = { c = 2, d = 9, h = 13, w = 35 }

[[workload]]
name = "voxel"
sizes = { c = 1, d = 1, h = 1, w = 1 }

[[workload]]
name = "odd"
sizes = { c = 3, d = 2, h = 5, w = 33 }

[cost]
bytes = "8 * c * d * h * w"
flops = "8 * c * d * h * w"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "avg_pool"
grid = ["ceil_div(w, block_x)", "h", "c * d"]
block = [64]
arguments = ["x", "y", "i32:d", "i32:h", "i32:w", "i32:1"]
*/
// A block a row; the bounds of the window are cut off at the edges.
extern "C" __global__ void avg_pool(const float* x, float* y, int depth, int height, int width, int radius) {
  const int ow = blockIdx.x * blockDim.x + threadIdx.x;
  const int oh = blockIdx.y;
  const int od = blockIdx.z % depth, c = blockIdx.z / depth;
  if (ow >= width) return;
  const int d0 = max(od - radius, 0), d1 = min(od + radius + 1, depth);
  const int h0 = max(oh - radius, 0), h1 = min(oh + radius + 1, height);
  const int w0 = max(ow - radius, 0), w1 = min(ow + radius + 1, width);
  float sum = 0.0f;
  for (int d = d0; d < d1; ++d)
    for (int h = h0; h < h1; ++h)
      for (int w = w0; w < w1; ++w) sum += x[((c * depth + d) * height + h) * width + w];
  y[((c * depth + od) * height + oh) * width + ow] = sum / ((d1 - d0) * (h1 - h0) * (w1 - w0));
}
