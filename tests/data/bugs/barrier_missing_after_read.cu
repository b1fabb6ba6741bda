// The next tile overwrites what slower warps still read.
// expect: shared race
// launch: grid 1 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 4

extern "C" __global__ void kernel(const float* in, float* out, int tiles) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    tile[t] = in[k * 128 + t];  // here
    __syncthreads();
    sum += tile[127 - t];
  }
  out[t] = sum;
}
