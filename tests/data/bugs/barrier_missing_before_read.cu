// Neighbours' data is read without a barrier.
// expect: shared race
// launch: grid 2 block 128
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float tile[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = in[i];
  out[i] = tile[127 - t];  // here
}
