// expect: global race
// launch: grid 2 block 64
// argument: buffer 4096 count
// argument: buffer 64 zero

extern "C" __global__ void kernel(const int* in, int* bins) {
  int i = blockIdx.x * 64 + threadIdx.x;
  bins[in[i] & 15]++;  // here
}
