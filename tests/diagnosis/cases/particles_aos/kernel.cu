struct Body {
  float x, y, z, mass;
  float spin[4];
  float vx, vy, vz, charge;
  float strain[4];
};

extern "C" __global__ void drift(Body* body, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  body[i].x += dt * body[i].vx;
  body[i].y += dt * body[i].vy;
  body[i].z += dt * body[i].vz;
}
