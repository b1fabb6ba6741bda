// Row 27: an error falls back to something else.

//@ case runs_a_program
//@ tier b
//@ expect cheating
//@ reason system
#include <cstdlib>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  return system("python3 reference.py");
}

//@ case runs_another_program_in_its_place
//@ tier b
//@ expect cheating
//@ reason exec
#include <unistd.h>
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" int run(const float* x, const float* y, float* z, cudaStream_t stream) {
  execl("/bin/true", "true", nullptr);
  return 0;
}
