// expect: inactive lane
// launch: grid 1 block 32
// argument: buffer 4096 count
// argument: buffer 4096 zero

extern "C" __global__ void kernel(const int* in, unsigned* out) {
  int t = threadIdx.x;
  unsigned votes = 0;
  if (in[t] % 3 == 0) votes = __ballot_sync(0xffffffff, in[t] > 8);  // here
  out[t] = votes;
}
