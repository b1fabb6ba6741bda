__device__ float normal_cdf(float d) { return 0.5f * erfcf(-0.70710678f * d); }

extern "C" __global__ void price(const float* __restrict__ spot, const float* __restrict__ strike,
                                 const float* __restrict__ years, float* __restrict__ call,
                                 float* __restrict__ put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 20.0f + 10.0f * spot[i], k = 20.0f + 10.0f * strike[i], t = 1.5f + years[i];
  float root = 0.3f * sqrtf(t);
  float d1 = (logf(s / k) + (0.02f + 0.045f) * t) / root;
  float d2 = d1 - root;
  float discount = k * expf(-0.02f * t);
  call[i] = s * normal_cdf(d1) - discount * normal_cdf(d2);
  put[i] = discount * normal_cdf(-d2) - s * normal_cdf(-d1);
}
