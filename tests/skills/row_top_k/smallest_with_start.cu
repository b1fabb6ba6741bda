/*
expect = "applies"

[[argument]]
name = "x"
kind = "in"
dtype = "i32"
shape = ["rows", "columns"]
distributions = ["index_range"]
low = -40
high = 40

[[argument]]
name = "values"
kind = "out"
dtype = "i32"
shape = ["rows", 5]

[[argument]]
name = "positions"
kind = "out"
dtype = "i32"
shape = ["rows", 5]

[[workload]]
name = "w0"
timed = true
sizes = { rows = 13, columns = 1030 }

[[workload]]
name = "w1"
sizes = { rows = 3, columns = 9 }

[[workload]]
name = "w2"
sizes = { rows = 5, columns = 256 }

[contract]
tolerance = "exact"

[cost]
bytes = "4 * rows * columns"
flops = "rows * columns"

[[kernel.launch]]
kernel = "smallest"
grid = ["ceil_div(rows, block_x)"]
block = [64]
arguments = ["x", "values", "positions", "i32:rows", "i32:columns"]
*/
// The smallest; a pass starts from a key to beat, and what was chosen lies in the thread's array.
extern "C" __global__ void smallest(const int* x, int* values, int* positions, int rows,
                                    int columns) {
  int tid = threadIdx.x;
  int row = blockIdx.x * blockDim.x + tid;
  if (row >= rows) return;
  const int* mine = x + row * columns;
  int chosen[5];
  for (int rank = 0; rank < 5; ++rank) {
    int least = 2147483647;
    int best = -1;
    for (int c = 0; c < columns; ++c) {
      const int v = mine[c];
      bool taken = false;
      for (int e = 0; e < rank; ++e) taken |= chosen[e] == c;
      if (!taken && v < least) {
        least = v;
        best = c;
      }
    }
    chosen[rank] = best;
    values[row * 5 + rank] = least;
    positions[row * 5 + rank] = best;
  }
}
