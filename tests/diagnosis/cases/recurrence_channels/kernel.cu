extern "C" __global__ void filter(const float* x, const float* decay, float* y, int steps,
                                  int channels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float a = decay[c], state = 0.0f;
#pragma unroll 1
  for (int t = 0; t < steps; ++t) {
    state = a * state + x[(size_t)t * channels + c];
    y[(size_t)t * channels + c] = state;
  }
}
