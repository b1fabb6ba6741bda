// expect: local out of bounds
// ends: fault
// launch: grid 1 block 32
// argument: buffer 4096 count
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const int* where, int* out) {
  int own[8];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) own[where[k]] = k;
  out[threadIdx.x] = own[where[threadIdx.x]];  // here
}
