// The second buffer is declared and never used.
// expect: shared race
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 6

extern "C" __global__ void kernel(const float* in, float* out, int steps) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  s[0][t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int k = 1; k < steps; ++k) {
    s[0][t] = in[k * 64 + t];  // here
    sum += s[0][63 - t];       // here
    __syncthreads();
  }
  out[t] = sum;
}
