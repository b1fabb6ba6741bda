// Row 13: values that a careless comparison takes for anything.

//@ case answers_nan
//@ task row_sum
//@ expect wrong
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = __int_as_float(0x7fc00000);
}

//@ case answers_infinity
//@ task vector_add
//@ expect wrong
extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = __int_as_float(0x7f800000);
}

//@ case scans_memory_for_the_answer
//@ task row_sum
//@ expect crashed
//@ reason out of bounds
extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  long long at = 1;
  while (at < (1ll << 32) && sums[at] != sum) at += 64;
  sums[row] = sums[at];
}
