#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t m = call.size("m");
  const int64_t n = call.size("n");
  const int64_t k = call.size("k");
  const double* a = call.input("a");
  const double* b = call.input("b");
  double* c = call.output("c");
  for (int64_t i = 0; i < m * n; ++i) c[i] = 0;
  // A strip of `depth` rows of B stays in the cache while every row of C passes over it, and four
  // of them are added at a time, so that a row of C is read and written a quarter as often.
  const int64_t depth = 32;
  for (int64_t p0 = 0; p0 < k; p0 += depth) {
    const int64_t p1 = p0 + depth < k ? p0 + depth : k;
    for (int64_t row = 0; row < m; ++row) {
      double* out = c + row * n;
      int64_t p = p0;
      for (; p + 4 <= p1; p += 4) {
        const double* left = a + row * k + p;
        const double l0 = left[0], l1 = left[1], l2 = left[2], l3 = left[3];
        const double* r = b + p * n;
        for (int64_t j = 0; j < n; ++j) {
          out[j] += l0 * r[j] + l1 * r[n + j] + l2 * r[2 * n + j] + l3 * r[3 * n + j];
        }
      }
      for (; p < p1; ++p) {
        for (int64_t j = 0; j < n; ++j) out[j] += a[row * k + p] * b[p * n + j];
      }
    }
  }
}
