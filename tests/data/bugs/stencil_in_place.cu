// expect: global race
// launch: grid 4 block 64
// argument: buffer 4096 ramp

extern "C" __global__ void kernel(float* x) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float left = i > 0 ? x[i - 1] : 0;  // here
  x[i] += left;                       // here
}
