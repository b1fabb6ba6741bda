// Row 19: the inputs are foretold, not read.

//@ case a_generator_of_its_own
//@ task row_sum
//@ expect wrong
__device__ float drawn(unsigned int seed) {
  seed = (seed ^ 61u) ^ (seed >> 16);
  seed *= 9u;
  seed ^= seed >> 4;
  seed *= 0x27d4eb2du;
  return (seed >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += drawn(42u + row * columns + c);
  sums[row] = sum;
}

//@ case a_table_of_answers
//@ task row_sum
//@ expect wrong
__constant__ float answers[4] = {0.4967f, -0.1383f, 0.6477f, 1.5230f};

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) sums[row] = answers[row % 4];
}
