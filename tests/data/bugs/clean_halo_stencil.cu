// expect: clean
// launch: grid 4 block 64
// argument: buffer 4096 ramp
// argument: buffer 4096 zero
// argument: int 256

extern "C" __global__ void kernel(const float* in, float* out, int n) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (t == 63) s[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];
}
