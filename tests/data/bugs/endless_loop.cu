// Nobody sets the flag.
// expect: clean
// ends: step limit
// launch: grid 1 block 32 steps 100000
// argument: buffer 16 zero

extern "C" __global__ void kernel(int* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
}
