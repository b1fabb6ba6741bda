// expect: global race
// launch: grid 2 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  float other = __ldg(&out[i ^ 1]);  // here
  __syncthreads();
  out[i] = other;
}
