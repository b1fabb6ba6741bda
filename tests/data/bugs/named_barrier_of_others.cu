// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  out[t] = s[127 - t];  // here
}
