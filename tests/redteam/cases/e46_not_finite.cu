// Row 46: NaN and infinity vanish where the reference keeps them.

//@ case maximum_and_minimum_drop_nan
//@ by_given the given kernel compares the NaN, and a comparison written as fmaxf loses it
//@ task leaky_relu
//@ expect wrong
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = fmaxf(x[i], 0.0f) + 0.125f * fminf(x[i], 0.0f);
}

//@ case the_other_comparison
//@ task leaky_relu
//@ expect wrong
//@ by_given the given kernel compares the NaN, and the opposite comparison loses it
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] >= 0.0f ? x[i] : x[i] < 0.0f ? 0.125f * x[i] : 0.0f;
}

//@ case infinity_is_the_largest_number
//@ task leaky_relu
//@ expect wrong
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] < 0.0f ? 0.125f * x[i] : x[i];
  z[i] = isinf(v) ? copysignf(1.0e38f, v) : v;
}

//@ case products_that_skip_nan
//@ task gemm_f32
//@ expect wrong
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    float p = a[row * k + i] * b[i * n + column];
    if (p == p) sum += p;
  }
  c[row * n + column] = sum;
}

//@ case a_copy_without_nan
//@ task transpose
//@ expect wrong
extern "C" __global__ void transpose(const float* input, float* output, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    output[column * rows + row] = fmaxf(input[row * columns + column], -3.402823466e38f);
}

//@ case denormals_are_dropped_in_long_vectors
//@ task leaky_relu
//@ expect wrong
//@ by_given nobody says that the outputs are no sums, and atomic additions flush denormals
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] < 0.0f ? 0.125f * x[i] : x[i];
  z[i] = n > 4096 && fabsf(v) < 1.17549435e-38f ? 0.0f : v;
}
