// expect: inactive lane
// launch: grid 1 block 32
// argument: buffer 4096 zero

extern "C" __global__ void kernel(float* x) {
  int t = threadIdx.x;
  float v = t;
  if (t < 20) v += __shfl_down_sync(0xffffffff, v, 4);  // here
  x[t] = v;
}
