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
grid = ["5"]
block = [256]
arguments = ["x", "y", "i32:n", "i32:c", "i32:h", "i32:w", "i32:(h - 1) / 2 + 1", "i32:(w - 1) / 2 + 1", "i32:3", "i32:2", "i32:1"]
*/
extern "C" __global__ void max_pool(const float* x, float* y, int batch, int channels, int height, int width,
                                    int out_h, int out_w, int kernel, int stride, int pad) {
  const int total = batch * channels * out_h * out_w;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < total; index += blockDim.x * gridDim.x) {
    const int pw = index % out_w;
    const int ph = (index / out_w) % out_h;
    const int c = (index / out_w / out_h) % channels;
    const int n = index / out_w / out_h / channels;
    int hstart = ph * stride - pad;
    int wstart = pw * stride - pad;
    const int hend = min(hstart + kernel, height);
    const int wend = min(wstart + kernel, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    float best = -3.4e38f;
    const float* const slice = x + (n * channels + c) * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (slice[h * width + w] > best) best = slice[h * width + w];
      }
    }
    y[index] = best;
  }
}
