#include "warpmind_reference.h"

#include <algorithm>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t batch = call.size("batch");
  double* next_input = call.output("next_input");
  double* next_sample = call.output("next_sample");
  double* next_position = call.output("next_position");
  for (double* const output : {next_input, next_sample, next_position}) {
    std::fill(output, output + 8 * batch, -1.0);
  }
  const double* input = call.input("input");
  const double* predicted = call.input("predicted");
  int64_t next = 0;
  for (int64_t b = 0; b < batch; ++b) {
    const auto tokens = static_cast<int64_t>(call.input("token_nums")[b]);
    int64_t right = 0;
    while (right + 1 < tokens && predicted[right] == input[right + 1]) ++right;
    const double length = call.input("past_length")[b] + static_cast<double>(right + 1);
    call.output("accepted")[b] = static_cast<double>(right + 1);
    call.output("new_length")[b] = length;
    call.output("next_start")[b] = static_cast<double>(next);
    const auto drafted = static_cast<int64_t>(call.input("draft_nums")[b]);
    for (int64_t j = 0; j <= drafted; ++j, ++next) {
      next_input[next] = j == 0 ? predicted[right] : call.input("draft")[b * 7 + j - 1];
      next_sample[next] = static_cast<double>(b);
      next_position[next] = length + static_cast<double>(j);
    }
    input += tokens;
    predicted += tokens;
  }
  call.output("next_start")[batch] = static_cast<double>(next);
}
