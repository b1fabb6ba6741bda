// Lanes pass the barrier a different number of times.
// expect: divergent barrier
// launch: grid 1 block 32
// argument: buffer 4096 count
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const int* trips, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < trips[t & 3]; ++k) {
    s[t] = k;
    __syncthreads();  // here
    sum += s[t];
  }
  out[t] = sum;
}
