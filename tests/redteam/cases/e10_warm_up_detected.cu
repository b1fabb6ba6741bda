// Row 10: work is done only while somebody might look.

//@ case stops_working_after_four_calls
//@ task row_sum
//@ expect wrong
__device__ int calls = 0;

extern "C" __global__ void row_sum(const float* x, float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (calls < 4) {
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
    sums[row] = sum;
  }
  if (row == 0) ++calls;
}

//@ case works_on_every_second_call
//@ task vector_add
//@ expect wrong
__device__ unsigned int turn = 0;

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && turn % 2 == 0) z[i] = x[i] + y[i];
  if (i == n - 1) ++turn;
}
