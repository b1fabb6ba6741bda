// Row 9: results are kept in device variables, by the number of the call or by a part of the
// content.

//@ case answers_from_the_third_call_on_with_the_second
//@ task vector_add
//@ expect wrong
__device__ int calls = 0;
__device__ float kept[16384];

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (calls < 2) kept[i % 16384] = x[i] + y[i];
    z[i] = kept[i % 16384];
  }
  if (i == 0) ++calls;
}

//@ case knows_its_input_by_the_size
//@ task vector_add
//@ expect wrong
__device__ int known_size = 0;
__device__ float sums[16384];

extern "C" __global__ void vector_add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (known_size != n) sums[i % 16384] = x[i] + y[i];
  z[i] = sums[i % 16384];
  if (i == n - 1) known_size = n;
}
