extern "C" __global__ void accept_advance(const int* token_nums, const int* input,
                                          const int* predicted, const int* past_length,
                                          const int* draft_nums, const int* draft, int* accepted,
                                          int* new_length, int* next_start, int* next_input,
                                          int* next_sample, int* next_position, int batch) {
  if (threadIdx.x != 0) return;
  int start = 0;
  int next = 0;
  for (int b = 0; b < batch; ++b) {
    int right = 0;
    while (right + 1 < token_nums[b] && predicted[start + right] == input[start + right + 1]) {
      ++right;
    }
    accepted[b] = right + 1;
    new_length[b] = past_length[b] + right + 1;
    next_start[b] = next;
    for (int j = 0; j <= draft_nums[b]; ++j) {
      next_input[next] = j == 0 ? predicted[start + right] : draft[b * 7 + j - 1];
      next_sample[next] = b;
      next_position[next] = new_length[b] + j;
      ++next;
    }
    start += token_nums[b];
  }
  next_start[batch] = next;
  for (; next < 8 * batch; ++next) {
    next_input[next] = -1;
    next_sample[next] = -1;
    next_position[next] = -1;
  }
}
