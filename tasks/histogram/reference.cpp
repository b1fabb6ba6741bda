#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t n = call.size("n");
  const double* x = call.input("x");
  double* counts = call.output("counts");
  for (int64_t value = 0; value < 256; ++value) counts[value] = 0;
  for (int64_t i = 0; i < n; ++i) counts[static_cast<int64_t>(x[i])] += 1;
}
