// expect: clean
// launch: grid 1 block 32
// argument: buffer 4096 count
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const int* where, int* out) {
  int own[32];
#pragma unroll 1
  for (int k = 0; k < 32; ++k) own[where[k]] = k * 3;
  out[threadIdx.x] = own[where[threadIdx.x]];
}
