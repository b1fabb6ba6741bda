// Device functions, call sequences, variables with initial values.
// nvcc -std=c++17 -arch=compute_80 -ptx -lineinfo calls.cu
#include <cassert>
#include <cstdio>

struct Scale {
  float factor;
  double offset;
  int steps[5];
};

__device__ int counter = 5;
__device__ int* counter_address = &counter;
__device__ float weights[4] = {1.0f, -2.0f, 3.5f, 0.0f};
__constant__ double limits[2] = {1.0, -3.0};
__constant__ int table[16];
struct Entry {
  float* first;
  long count;
};
__device__ Entry entry = {&weights[1], 3};

__device__ __noinline__ float apply(float x, Scale scale) {
  return x * scale.factor + static_cast<float>(scale.offset) + scale.steps[2];
}
__device__ float add_one(float x) { return x + 1; }
__device__ float twice(float x) { return x * 2; }
using Operation = float (*)(float);
__device__ Operation operations[2] = {add_one, twice};

__global__ void __launch_bounds__(256, 2) call_all(float* out, Scale scale, int n) {
  int seen[20];
  for (int i = 0; i < n; i++) seen[i % 20] = i;
  assert(n > 0);
  printf("%d %f\n", n, scale.factor);
  out[0] = apply(out[1], scale);
  out[1] = operations[n & 1](out[2]);
  out[2] = table[n] + seen[n] + scale.steps[n] + weights[n];
  if (limits[n] < 0) __trap();
  *entry.first = *counter_address;
}
