extern "C" __global__ void nbody(const float4* __restrict__ body, float4* __restrict__ acceleration,
                                 int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = body[t + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < 256; ++j) {
      float4 o = tile[j];
      float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = o.w * inverse * inverse * inverse;
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(ax, ay, az, 0);
}
