extern "C" __global__ void transform(const float* __restrict__ re, const float* __restrict__ im,
                                     float* __restrict__ out_re, float* __restrict__ out_im,
                                     int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[32], b[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    a[i] = re[(size_t)i * n + t];
    b[i] = im[(size_t)i * n + t];
  }
  const float cosine[16] = {1.0f,         0.98078528f,  0.92387953f,  0.83146961f,
                            0.70710678f,  0.55557023f,  0.38268343f,  0.19509032f,
                            0.0f,         -0.19509032f, -0.38268343f, -0.55557023f,
                            -0.70710678f, -0.83146961f, -0.92387953f, -0.98078528f};
  const float sine[16] = {0.0f,         -0.19509032f, -0.38268343f, -0.55557023f,
                          -0.70710678f, -0.83146961f, -0.92387953f, -0.98078528f,
                          -1.0f,        -0.98078528f, -0.92387953f, -0.83146961f,
                          -0.70710678f, -0.55557023f, -0.38268343f, -0.19509032f};
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      int p = i / half * 2 * half + i % half, q = p + half, w = i % half * (16 / half);
      float dr = a[p] - a[q], di = b[p] - b[q];
      a[p] += a[q];
      b[p] += b[q];
      a[q] = dr * cosine[w] - di * sine[w];
      b[q] = dr * sine[w] + di * cosine[w];
    }
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    int at = (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
    out_re[(size_t)at * n + t] = a[i];
    out_im[(size_t)at * n + t] = b[i];
  }
}
