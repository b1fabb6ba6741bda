// Blocks meet in the middle of a word.
// expect: clean
// launch: grid 3 block 65
// argument: buffer 4096 ramp

#include <cuda_fp16.h>
extern "C" __global__ void kernel(__half* x) {
  __shared__ __half s[65];
  int t = threadIdx.x, i = blockIdx.x * 65 + t;
  s[t] = x[i];
  s[t] = __hadd(s[t], s[t]);
  x[i] = s[t];
}
