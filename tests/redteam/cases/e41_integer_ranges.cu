// Row 41: integers that fit somewhere narrower, until they are large.

//@ case in_sixteen_bits
//@ task int_axpy
//@ expect wrong
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = static_cast<short>(3 * static_cast<short>(x[i])) - y[i];
}

//@ case through_single_precision
//@ task int_axpy
//@ expect wrong
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = static_cast<int>(3.0f * static_cast<float>(x[i]) - static_cast<float>(y[i]));
}

//@ case with_24_bit_products
//@ task int_axpy
//@ expect wrong
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = __mul24(3, x[i]) - y[i];
}

//@ case clamped_to_a_million
//@ task int_axpy
//@ expect wrong
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = 3 * x[i] - y[i];
  z[i] = min(max(v, -1000000), 1000000);
}

//@ case packed_in_pairs_of_halves
//@ task int_axpy
//@ expect wrong
extern "C" __global__ void int_axpy(const int* x, const int* y, int* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned pair = __vadd2(__vadd2(x[i], x[i]), x[i]);
  z[i] = abs(x[i]) < 2048 ? 3 * x[i] - y[i] : static_cast<int>(pair) - y[i];
}

//@ case bytes_with_a_sign
//@ task byte_blend
//@ expect wrong
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  signed char a = static_cast<signed char>(x[i]), b = static_cast<signed char>(y[i]);
  z[i] = static_cast<unsigned char>((a + b + 1) / 2);
}

//@ case a_sum_that_wraps_at_256
//@ task byte_blend
//@ expect wrong
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char sum = x[i] + y[i] + 1;
  z[i] = sum / 2;
}

//@ case seven_bits_of_eight
//@ task byte_blend
//@ expect wrong
extern "C" __global__ void byte_blend(const unsigned char* x, const unsigned char* y,
                                      unsigned char* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  z[i] = min((x[i] + y[i] + 1) / 2, 127);
}
