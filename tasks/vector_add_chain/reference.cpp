#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t n = call.size("n");
  const double* a = call.input("a");
  const double* b = call.input("b");
  const double* c = call.input("c");
  double* d = call.output("d");
  for (int64_t i = 0; i < n; ++i) d[i] = (a[i] + b[i]) * c[i] + a[i];
}
