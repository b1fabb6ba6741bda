// expect: clean
// launch: grid 1 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 8

extern "C" __global__ void kernel(const float* in, float* out, int steps) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  s[0][t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    if (k + 1 < steps) s[(k + 1) & 1][t] = in[(k + 1) * 64 + t];
    sum += s[k & 1][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
