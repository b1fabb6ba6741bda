// 16-bit elements: the race is between halves of words.
// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

#include <cuda_fp16.h>
extern "C" __global__ void kernel(const __half* in, __half* out) {
  __shared__ __half s[129];
  int t = threadIdx.x;
  if (t == 0) s[128] = in[128];
  s[t] = in[t];
  out[t] = s[t + 1];  // here
}
