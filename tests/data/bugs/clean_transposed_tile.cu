// expect: clean
// launch: grid 2,1 block 16,16
// argument: buffer 4096 ramp
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const float* in, float* out) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * 256;
  tile[y][x] = in[first + y * 16 + x];
  __syncthreads();
  out[first + y * 16 + x] = tile[x][y];
}
