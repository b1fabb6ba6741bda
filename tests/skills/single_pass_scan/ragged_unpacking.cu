/*
expect = "applies"

[[argument]]
name = "lengths"
kind = "in"
dtype = "i32"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 7
[[argument]]
name = "skipped"
kind = "in"
dtype = "i64"
shape = ["n"]
distributions = ["index_range"]
low = 0
high = 5
[[argument]]
name = "owner"
kind = "out"
dtype = "i32"
shape = ["7 * n"]
[[argument]]
name = "rank"
kind = "out"
dtype = "i32"
shape = ["7 * n"]
[[argument]]
name = "starts"
kind = "out"
dtype = "i64"
shape = ["n"]
[[workload]]
name = "w0"
timed = true
sizes = { n = 2051 }
[[workload]]
name = "w1"
sizes = { n = 1 }
[[workload]]
name = "w2"
sizes = { n = 127 }
[[workload]]
name = "w3"
sizes = { n = 128 }
[[workload]]
name = "w4"
sizes = { n = 129 }
[contract]
tolerance = "exact"
[cost]
bytes = "1"
flops = "1"
[[kernel.launch]]
kernel = "unpack"
grid = [1]
block = [32]
arguments = ["lengths", "skipped", "owner", "rank", "starts", "i32:n"]
*/
// Each sample brings `lengths[b]` tokens; they are laid one behind the other.
extern "C" __global__ void unpack(const int* lengths, const long long* skipped, int* owner, int* rank,
                                  long long* starts, int batch) {
  if (threadIdx.x != 0) return;
  int next = 0;
  long long behind = 0;
  for (int b = 0; b < batch; ++b) {
    starts[b] = next + behind;
    for (int j = 0; j < lengths[b]; ++j) {
      owner[next] = b;
      rank[next] = j;
      ++next;
    }
    behind += skipped[b];
  }
  while (next < 7 * batch) {
    owner[next] = -1;
    rank[next] = 0;
    ++next;
  }
}
