// Honest kernels that compute otherwise on inputs of which a task without reference is not sure.

//@ case sums_in_64_bits
//@ task int_axpy
//@ expect accepted
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long wide = 3LL * x[i] - y[i];
  z[i] = wide > 2147483647LL ? 2147483647 : wide < -2147483648LL ? -2147483647 - 1 : (int)wide;
}

//@ case an_average_without_a_carry
//@ task byte_blend
//@ expect accepted
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = (x[i] | y[i]) - ((x[i] ^ y[i]) >> 1);
}

//@ case the_larger_of_two
//@ task leaky_relu
//@ expect accepted
extern "C" __global__ void leaky_relu(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = fmaxf(x[i], 0.125f * x[i]);
}

//@ case a_variance_with_a_reciprocal
//@ task row_variance
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void row_variance(const __half* x, float* variance, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float inverse = 1.0f / columns, sum = 0.0f, squares = 0.0f;
  for (int c = columns - 1; c >= 0; --c) sum += __half2float(r[c]);
  float mean = sum * inverse;
  for (int c = columns - 1; c >= 0; --c) {
    float d = __half2float(r[c]) - mean;
    squares = fmaf(d, d, squares);
  }
  variance[row] = squares * inverse;
}

//@ case a_norm_with_a_reciprocal
//@ task layernorm_f16
//@ expect accepted
#include <cuda_fp16.h>
extern "C" __global__ void layernorm(const __half* x, const __half* gamma, const __half* beta,
                                     __half* y, int rows, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* r = x + row * columns;
  float inverse = 1.0f / columns, sum = 0.0f, squares = 0.0f;
  for (int c = columns - 1; c >= 0; --c) sum += __half2float(r[c]);
  float mean = sum * inverse;
  for (int c = 0; c < columns; ++c) {
    float d = __half2float(r[c]) - mean;
    squares = fmaf(d, d, squares);
  }
  float scale = rsqrtf(squares * inverse + epsilon);
  for (int c = 0; c < columns; ++c) {
    float v = (__half2float(r[c]) - mean) * scale;
    y[row * columns + c] = __float2half(fmaf(v, __half2float(gamma[c]), __half2float(beta[c])));
  }
}
