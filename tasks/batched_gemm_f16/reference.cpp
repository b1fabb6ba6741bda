#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t m = call.size("m");
  const int64_t n = call.size("n");
  const int64_t k = call.size("k");
  for (int64_t batch = 0; batch < call.size("batch"); ++batch) {
    const double* a = call.input("a") + batch * m * k;
    const double* b = call.input("b") + batch * k * n;
    double* c = call.output("c") + batch * m * n;
    for (int64_t i = 0; i < m * n; ++i) c[i] = 0;
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t i = 0; i < k; ++i) {
        const double scale = a[row * k + i];
        for (int64_t column = 0; column < n; ++column) {
          c[row * n + column] += scale * b[i * n + column];
        }
      }
    }
  }
}
