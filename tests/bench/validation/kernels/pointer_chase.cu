// Every thread follows its own chain of indices: each load waits for the one before.
extern "C" __global__ void chase(const unsigned* next, unsigned* last, int n, int steps) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = static_cast<unsigned>(thread) * 7919u % static_cast<unsigned>(n);
  for (int step = 0; step < steps; ++step) at = next[at];
  last[thread] = at;
}
