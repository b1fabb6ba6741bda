/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n", "c", "h", "w"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n", "c", "(h - 1) / 2 + 1", "(w - 1) / 2 + 1"]

[[workload]]
name = "images"
timed = true
sizes = { n = 2, c = 3, h = 61, w = 53 }

[[workload]]
name = "pixel"
sizes = { n = 1, c = 1, h = 1, w = 1 }

[[workload]]
name = "odd"
sizes = { n = 3, c = 2, h = 7, w = 67 }

[cost]
bytes = "8 * n * c * ((h - 1) / 2 + 1) * ((w - 1) / 2 + 1)"
flops = "8 * n * c * ((h - 1) / 2 + 1) * ((w - 1) / 2 + 1)"

[contract]
tolerance = "reduction"

[[kernel.launch]]
kernel = "max_pool"
grid = ["ceil_div(n * c * ((h - 1) / 2 + 1) * ((w - 1) / 2 + 1), block_x)"]
block = [256]
arguments = ["x", "y", "i32:n", "i32:c", "i32:h", "i32:w", "i32:(h - 1) / 2 + 1", "i32:(w - 1) / 2 + 1", "i32:3", "i32:2", "i32:1"]
*/
extern "C" __global__ void max_pool(const float* x, float* y, int batch, int channels, int height, int width,
                                    int out_h, int out_w, int kernel, int stride, int pad) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total = batch * channels * out_h * out_w;
  if (idx >= total) return;
  int ow = idx % out_w;
  int oh = (idx / out_w) % out_h;
  int c = (idx / (out_w * out_h)) % channels;
  int n = idx / (out_w * out_h * channels);
  float best = -3.4e38f;
  for (int i = 0; i < kernel; ++i) {
    for (int j = 0; j < kernel; ++j) {
      int ih = oh * stride - pad + i;
      int iw = ow * stride - pad + j;
      if (ih >= 0 && ih < height && iw >= 0 && iw < width) {
        best = fmaxf(best, x[((n * channels + c) * height + ih) * width + iw]);
      }
    }
  }
  y[idx] = best;
}
