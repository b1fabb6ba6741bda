#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t n = call.size("n");
  const double* keys = call.input("keys");
  double* sorted = call.output("sorted");
  int64_t at = 0;
  for (int64_t digit = 0; digit < 16; ++digit) {
    for (int64_t i = 0; i < n; ++i) {
      if (static_cast<int64_t>(keys[i]) % 16 == digit) sorted[at++] = keys[i];
    }
  }
}
