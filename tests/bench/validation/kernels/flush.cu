// Reads a buffer larger than the L2 cache, so that nothing of the last run is left in it and no
// line is dirty.
extern "C" __global__ void flush(const uint4* buffer, unsigned* never, int n) {
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 word = buffer[i];
    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum == 0x9e3779b9u) *never = sum;
}
